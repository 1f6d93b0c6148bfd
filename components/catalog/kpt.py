"""KptPlugin: Argo CD renders kpt packages."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, Final, NotRequired

import pulumi

from ..shared import contract, validation
from ..shared.contract import RendererEnv
from ..shared.errors import InvalidInputError
from .renderer_plugin import (
    Renderer,
    RendererPlugin,
    RendererPluginArgs,
    passed_variables,
)


class KptPluginArgs(RendererPluginArgs):
    """Arguments of `KptPlugin`."""

    functions: NotRequired[pulumi.Input[Mapping[str, pulumi.Input[str]]]]
    """Executables by image name, with or without a tag; those in the image need no entry."""
    functions_dir: NotRequired[pulumi.Input[str]]
    """Folder of the executables (default `/opt/renderer/functions`)."""
    annotation_domain: NotRequired[pulumi.Input[str]]
    """Domain of annotations that say where each object comes from (default: no annotations)."""
    annotations: NotRequired[pulumi.Input[Sequence[pulumi.Input[str]]]]
    """Which of `app`, `revision`, `repository`, `branch` and `path` (default all)."""
    pass_env: NotRequired[pulumi.Input[Sequence[pulumi.Input[str]]]]
    """Names of the sidecar's variables that functions may see (default none)."""


class KptPlugin(RendererPlugin):
    """Installs the plugin that renders kpt packages, with local executables as functions."""

    def __init__(
        self, name: str, args: KptPluginArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(KPT, name, args, opts)


_IMAGE_NAME = re.compile(r"[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?")
"""Source: github.com/distribution/reference, a name without registry or folders."""


def _variables(values: Mapping[str, Any]) -> dict[str, str]:
    variables = passed_variables(values)
    if functions := validation.string_map("functions", values.get("functions", {})):
        for image, executable in functions.items():
            _require_image_name(image)
            _require_executable(image, executable)
        variables[RendererEnv.KPT_FUNCTIONS.value] = json.dumps(functions, sort_keys=True)
    if "functions_dir" in values:
        folder = validation.line("functions_dir", values["functions_dir"])
        if not folder.startswith("/") or ".." in folder.split("/"):
            raise InvalidInputError("functions_dir", f"is {folder!r}", "give an absolute path")
        variables[RendererEnv.KPT_FUNCTIONS_DIR.value] = folder
    if "annotation_domain" in values:
        domain = validation.object_name("annotation_domain", values["annotation_domain"])
        variables[RendererEnv.KPT_ANNOTATION_DOMAIN.value] = domain
    if annotations := validation.strings("annotations", values.get("annotations", [])):
        for annotation in annotations:
            if annotation not in contract.KPT_ANNOTATIONS:
                known = ", ".join(contract.KPT_ANNOTATIONS)
                raise InvalidInputError(
                    "annotations", f"has {annotation!r}", f"use some of {known}"
                )
        variables[RendererEnv.KPT_ANNOTATIONS.value] = ",".join(annotations)
    return variables


def _require_image_name(image: str) -> None:
    if not _IMAGE_NAME.fullmatch(image):
        problem = f"has the image {image!r}; registries and folders do not count"
        raise InvalidInputError("functions", problem, "write `name` or `name:tag`")


def _require_executable(image: str, executable: str) -> None:
    path = PurePosixPath(executable)
    if not executable or ".." in path.parts or not (path.is_absolute() or len(path.parts) == 1):
        problem = f"has {executable!r} for {image}"
        fix = "give a name in the folder of the functions, or an absolute path"
        raise InvalidInputError("functions", problem, fix)


KPT: Final = Renderer(
    name="kpt",
    args=KptPluginArgs,
    settings=("functions", "functions_dir", "annotation_domain", "annotations", "pass_env"),
    variables=_variables,
    discover_file="Kptfile",
)
