"""Finds the modules of the repository that a Go program is built from.

That is the module that its package is in, those that go.mod puts in the place of others, those of
its workspace with what is vendored for it, and the folders that links in these lead to: Go passes
over such links where it looks for packages, and follows them where one is imported by name.
Source: https://go.dev/ref/mod#go-mod-file-replace, #workspaces, #go-work-vendor.
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

_PATH: Final = r"\"[^\"\n]*\"|`[^`]*`|[^\s\"`]+"
"""May have blanks in quotes."""
_REPLACEMENT: Final = re.compile(rf"=>\s*(?=[\"`]?[./])({_PATH})")
"""A folder with which go.mod or go.work replaces a module."""
_USED: Final = re.compile(rf"^\s*use\s+(?:\(([^)]*)\)|({_PATH}))", re.MULTILINE)
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
    """Folders of further modules and packages."""
    repository: Path

    def sources(self) -> list[Path]:
        """Files that may be part of the binary: sources, and what may be embedded into one.

        The latter is below the source's own folder; nothing else is looked at, but for links to
        folders, behind which there may be sources.
        """
        folders = (self.module, *self.others)
        found = {path for folder in folders for path in _sources(folder, self.repository)}
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
    if workspace and (vendored := workspace.with_name("vendor")).is_dir():
        others.add(vendored)
    others.discard(module)
    return Modules(package, module, workspace, tuple(sorted(others)), project.repository)


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
            places = "\n".join("".join(found) for found in _USED.findall(_text(file)))
            used = _folders(file, re.findall(_PATH, places), repository)
            return (file, used) if module in used else (None, [])
    return None, []


def _folders(file: Path, named: list[str], repository: Path) -> list[Path]:
    """The folders that a file names. Raises ProjectError for one outside of the repository."""
    folders = [Path(os.path.normpath(file.parent / name.strip('"`'))) for name in named]
    for folder in folders:
        if not folder.resolve().is_relative_to(repository.resolve()):
            raise ProjectError(
                f"{file.name} names a folder outside of the repository",
                fix="move the folder into the repository, or publish the module",
            )
    return folders


def _text(file: Path) -> str:
    return _COMMENT.sub("", files.text(file))


def _sources(folder: Path, repository: Path) -> list[Path]:
    found = dependencies.project_files(folder, repository)
    links = {path for path in found if path.is_dir()}
    sources = [path for path in found if path not in links and _is_source(path)]
    embedding = {
        path.parent
        for path in sources
        if path.suffix == ".go" and b"//go:embed" in files.read(path, repository)
    }
    embedded = (path for path in found if embedding.intersection(path.parents))
    return [*sources, *links, *embedded]


def _is_source(path: Path) -> bool:
    return path.suffix in _COMPILED or path.name in _NAMED
