"""What can be asked of a provider that is lent: what depends on nothing but its arguments.

A provider takes its environment and its folder from its start. So what it is to look for in them
is asked of one that was started for the run: commands, downloads, files by other names than here.
Everything here is pure, but for a look at whether a chart is there.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from ..values import wire

Inputs = Mapping[str, Any]

_OF_A_TEMPLATE: Final = frozenset(
    {"path", "chart", "release_name", "namespace", "values", "version", "kube_version"}
    | {"api_versions", "skip_crd_rendering", "include_test_hook_resources"}
)
_OF_A_CHART: Final = frozenset(
    {"chart", "name", "namespace", "values", "valueYamlFiles"}
    | {"skipCrds", "skipAwait", "resourcePrefix"}
)
_OF_A_GROUP: Final = frozenset({"yaml", "objs", "skipAwait", "resourcePrefix"})


def template(options: Inputs, folder: Path) -> Inputs | None:
    """The options of a chart of version 3 that lies in a folder, as an absolute path; else None."""
    if not options.get("path") or not _given(options) <= _OF_A_TEMPLATE:
        return None
    return {**options, "path": _absolute(folder, str(options["path"]))}


def chart(inputs: Inputs, folder: Path) -> Inputs | None:
    """The inputs that place a chart of version 4 that lies in a folder; else None."""
    name = inputs.get("chart")
    is_here = isinstance(name, str) and name and (folder / name).exists()
    if not is_here or not _given(inputs) <= _OF_A_CHART or _has_files(inputs):
        return None
    return {"chart": _absolute(folder, str(name))}


def group(inputs: Inputs) -> Inputs | None:
    """No inputs to place for YAML that comes as text or objects; else None."""
    return {} if _given(inputs) <= _OF_A_GROUP and not _has_files(inputs) else None


def _given(inputs: Inputs) -> frozenset[str]:
    return frozenset(name for name, value in inputs.items() if value)


def _absolute(folder: Path, path: str) -> str:
    # Its links first: what reads it takes `..` for the folder above by name.
    return str(Path(os.path.realpath(folder)) / path)


def _has_files(node: Any) -> bool:
    """Whether there is an asset or archive in inputs that is no text."""
    node = wire.reveal(node)
    if isinstance(node, Mapping):
        is_one = wire.signature_of(node) in (wire.ASSET, wire.ARCHIVE)
        return (is_one and "text" not in node) or any(map(_has_files, node.values()))
    return isinstance(node, list) and any(map(_has_files, node))
