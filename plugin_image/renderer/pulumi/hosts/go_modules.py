"""Finds the modules of the repository that a Go program is built from.

That is the module that its package is in, those that go.mod puts in the place of others, and those
of its workspace. Source: https://go.dev/ref/mod#go-mod-file-replace, #workspaces.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ... import files
from ...errors import ProjectError
from .. import dependencies
from ..project import Project

_REPLACEMENT: Final = re.compile(r"=>\s*[\"`]?((?:\.\.?|/)[^\s\"`]*)")
"""A folder with which go.mod or go.work replaces a module."""
_USED: Final = re.compile(r"^\s*use\s+(?:\(([^)]*)\)|(\S+))", re.MULTILINE)
"""The folders of a go.work: in brackets, a line each, or one alone."""
_COMMENT: Final = re.compile(r"//.*$", re.MULTILINE)
_COMPILED: Final = frozenset({".go", ".s", ".S", ".h", ".syso"})
_NAMED: Final = frozenset({"go.mod", "go.sum", "modules.txt"})
"""What Go reads without cgo. Source: go/build, matchFile."""


@dataclass(frozen=True)
class Modules:
    """Where the sources of a program are."""

    package: Path
    """The folder of its package `main`."""
    module: Path
    """The folder with its go.mod."""
    workspace: Path | None
    """The go.work that has this module in it."""
    others: tuple[Path, ...]
    """Folders of further modules."""

    @property
    def base(self) -> Path:
        """The folder that all of them are in."""
        places = [self.module, *self.others]
        places += [self.workspace.parent] if self.workspace else []
        return Path(os.path.commonpath(places))

    def sources(self) -> list[Path]:
        """Files that may be part of the binary: sources, and what may be embedded into one.

        The latter is below the source's own folder; nothing else is looked at.
        """
        found = {path for folder in (self.module, *self.others) for path in _sources(folder)}
        if self.workspace:
            places = (self.workspace, self.workspace.with_name("go.work.sum"))
            found |= {path for path in places if files.exists(path)}
        return sorted(found)


def find(project: Project, package: Path) -> Modules:
    """The modules of the program whose package `main` is in a folder.

    Raises ProjectError without a go.mod, and for a module outside of the repository.
    """
    above = _upwards(package, project.repository)
    module = next((folder for folder in above if files.exists(folder / "go.mod")), None)
    if module is None:
        raise ProjectError(
            f"no go.mod beside {project.file}, or above it in the repository",
            fix="put the program into a Go module",
        )
    workspace, used = _workspace(module, project.repository)
    others = set(used)
    for file in [*(folder / "go.mod" for folder in {module, *used}), *filter(None, [workspace])]:
        others.update(_folders(file, _REPLACEMENT.findall(_text(file)), project.repository))
    return Modules(package, module, workspace, tuple(sorted(others - {module})))


def _upwards(folder: Path, repository: Path) -> Iterator[Path]:
    for above in (folder, *folder.parents):
        yield above
        if above == repository:
            return


def _workspace(module: Path, repository: Path) -> tuple[Path | None, list[Path]]:
    """The go.work that a module is part of, and the folders of all that are."""
    for folder in _upwards(module, repository):
        file = folder / "go.work"
        if files.exists(file):
            words = [
                word for found in _USED.findall(_text(file)) for word in "".join(found).split()
            ]
            used = _folders(file, [word.strip('"`') for word in words], repository)
            return (file, used) if module in used else (None, [])
    return None, []


def _folders(file: Path, named: list[str], repository: Path) -> list[Path]:
    """The folders that a file names. Raises ProjectError for one outside of the repository."""
    folders = [Path(os.path.normpath(file.parent / name)) for name in named]
    for folder in folders:
        if not folder.resolve().is_relative_to(repository.resolve()):
            raise ProjectError(
                f"{file.name} names a folder outside of the repository",
                fix="move the folder into the repository, or publish the module",
            )
    return folders


def _text(file: Path) -> str:
    return _COMMENT.sub("", files.text(file))


def _sources(folder: Path) -> list[Path]:
    inside, found = files.repository(folder), dependencies.project_files(folder)
    sources = [path for path in found if path.suffix in _COMPILED or path.name in _NAMED]
    embedding = {
        path.parent
        for path in sources
        if path.suffix == ".go" and b"//go:embed" in files.read(path, inside)
    }
    embedded = (path for path in found if embedding.intersection(path.parents))
    return [*sources, *embedded]
