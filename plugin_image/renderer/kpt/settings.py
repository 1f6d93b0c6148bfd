"""How the installer set up the renderer of kpt packages: its own environment variables."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ... import contract
from ...contract import RendererEnv
from ..errors import UsageError


@dataclass(frozen=True)
class KptSettings:
    """What the plugin's configuration says about kpt packages."""

    functions_dir: Path
    """The executables that packages may use."""
    functions: Mapping[str, str]
    """Image names, with or without a tag, and the executable that stands for each."""
    annotation_domain: str | None
    annotations: tuple[str, ...]


def from_environment(env: Mapping[str, str]) -> KptSettings:
    """Read the settings; where nothing is set, the image's own functions are all there is.

    Raises UsageError for functions that are not a JSON object of strings, and for an annotation
    that does not exist.
    """
    names = env.get(RendererEnv.KPT_ANNOTATIONS.value) or ",".join(contract.KPT_ANNOTATIONS)
    return KptSettings(
        functions_dir=Path(
            env.get(RendererEnv.KPT_FUNCTIONS_DIR.value) or contract.KPT_FUNCTIONS_DIR
        ),
        functions=_functions(env.get(RendererEnv.KPT_FUNCTIONS.value) or "{}"),
        annotation_domain=env.get(RendererEnv.KPT_ANNOTATION_DOMAIN.value) or None,
        annotations=known_annotations(names.split(","), RendererEnv.KPT_ANNOTATIONS.value),
    )


def known_annotations(names: list[str], source: str) -> tuple[str, ...]:
    """The names; raises UsageError, naming `source`, for one that does not exist."""
    for name in names:
        if name not in contract.KPT_ANNOTATIONS:
            raise UsageError(
                f"{source} has {name!r}", fix=f"use some of {', '.join(contract.KPT_ANNOTATIONS)}"
            )
    return tuple(names)


def _functions(text: str) -> Mapping[str, str]:
    try:
        functions = json.loads(text)
    except (ValueError, RecursionError):
        functions = None
    if not isinstance(functions, dict) or not all(isinstance(v, str) for v in functions.values()):
        raise UsageError(f"{RendererEnv.KPT_FUNCTIONS.value} is not a JSON object of strings")
    return functions
