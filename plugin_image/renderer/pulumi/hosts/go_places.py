"""Tells where in the repository the code of a Go program is, by what Go has in place of its paths.

Programs are built with `-trimpath`: what their SDK says of the place of a resource, and the trace
of a panic, name a package's folder by the path under which it is imported. Source: Go,
`src/cmd/go/internal/work/gc.go` (trimpath).
"""

import json
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from .go_seen import Package

_ANCESTORS: Final = "tracebackancestors=8"
_FRAME: Final = re.compile(
    r"^(?P<function>.+)\n\t(?:(?P<package>.+)/)?(?P<file>[^/\n]+\.go):(?P<line>\d+)", re.MULTILINE
)
"""A function in a trace, whose innermost is first, and its place; the last may be what has started
the others (`created by`)."""

_PLACE: Final = re.compile(r"^\t(.+)/([^/\n]+\.go:\d+)", re.MULTILINE)


def written(packages: Iterable[Package], folder: Path, repository: Path) -> str:
    """The folders of the packages in the repository but others', seen from the program's, as text.

    That is for `read`.
    """
    own = {_trimmed(package): package["Dir"] for package in packages if _is_own(package)}
    inside = {name: place for name, place in own.items() if Path(place).is_relative_to(repository)}
    return json.dumps({name: os.path.relpath(place, folder) for name, place in inside.items()})


def read(file: Path, folder: Path) -> dict[str, str]:
    """These folders, by what Go has in place of them: none of a program that is not built here."""
    if not file.exists():
        return {}
    told = json.loads(file.read_text())
    return {name: os.path.normpath(folder / place) for name, place in told.items()}


def tracing(env: Mapping[str, str]) -> dict[str, str]:
    """What lets a trace lead from a goroutine of the SDK to the code that it was started for.

    Source: Go, `src/runtime/extern.go` (tracebackancestors).
    """
    return {"GODEBUG": ",".join(filter(None, [env.get("GODEBUG"), _ANCESTORS]))}


def innermost(trace: str, code: Mapping[str, str], root: Path) -> str:
    """The first place in a trace that is the program's own, as `file:line` seen from `root`.

    Of a program that was not built here, that is known of its package `main` only.
    """
    for frame in _FRAME.finditer(trace):
        file = f"{frame['file']}:{frame['line']}"
        if folder := code.get(frame["package"] or ""):
            return os.path.relpath(f"{folder}/{file}", root)
        if not code and frame["function"].startswith("main."):
            return file
    return ""


def with_paths(said: str, code: Mapping[str, str]) -> str:
    """What a program has said, whose traces have the paths of its own code."""
    return _PLACE.sub(lambda place: f"\t{code.get(place[1], place[1])}/{place[2]}", said)


def _is_own(package: Package) -> bool:
    module = _module(package)
    return bool(module) and "Version" not in module.get("Replace", module)


def _trimmed(package: Package) -> str:
    path: str = package["ImportPath"]
    module = _module(package)
    if "Version" not in module:
        return path
    return f"{module['Path']}@{module['Version']}{path.removeprefix(module['Path'])}"


def _module(package: Package) -> Mapping[str, Any]:
    module: Mapping[str, Any] = package.get("Module", {})
    return module
