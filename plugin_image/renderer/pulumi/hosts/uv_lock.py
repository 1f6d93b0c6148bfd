"""Whether a uv.lock is a program's, and of the dependencies that its pyproject.toml has by now.

A monorepo may have one at its root for something else. Of the dependencies uv could tell, but would
refuse a lock as well where the plugin has another index than its writer. So what the lock has noted
of the manifest is compared here. Extras, groups and markers are not.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from ... import files
from ...errors import DependencyError
from . import pyproject, python_locked

_SOURCES: Final = ("virtual", "editable", "directory")
"""How a lock says which folder a package is in."""
_ELSEWHERE: Final = frozenset({*_SOURCES, "path", "url", "git"})
"""What a package is from that has no versions to choose from."""
_NAME: Final = "uv.lock"
_SDK: Final = "pulumi"
_Asked = dict[str, set[SpecifierSet | None]]
"""Versions by the names of packages; none where any is right."""


def nearest(program: Path, repository: Path) -> Path | None:
    """The uv.lock beside a pyproject.toml in the program's folder, or else above it."""
    for folder in files.upwards(program, repository):
        if files.exists(folder / _NAME) and files.exists(folder / pyproject.NAME):
            return folder / _NAME
    return None


def manifest(lock: Path, program: Path) -> Path:
    """The pyproject.toml that is the program's: the nearest one, at the latest the lock's own."""
    above = (folder / pyproject.NAME for folder in files.upwards(program, lock.parent))
    return next(path for path in above if files.exists(path))


def is_of(lock: Path, program: Path) -> bool:
    """Whether uv takes a lock above for the program's: its own, or that of its workspace."""
    own, root = manifest(lock, program).parent, lock.parent
    return root in (own, pyproject.workspace(own, root))


def has_sdk(lock: Path, program: Path) -> bool:
    """Whether Pulumi's SDK is among what uv installs for a program by a lock above it.

    A workspace's lock has the packages of all its members.
    """
    place = os.path.relpath(manifest(lock, program).parent, lock.parent)
    needs: dict[str, set[str]] = {}
    waiting = set[str]()
    for package in python_locked.table(lock).get("package", ()):
        name = package["name"]
        needs.setdefault(name, set()).update(_needed(package))
        if _is_in(package, place):
            waiting.add(name)
    found = set[str]()
    while waiting:
        name = waiting.pop()
        found.add(name)
        waiting |= needs.get(name, set()) - found
    return _SDK in found


def _needed(package: Mapping[str, Any]) -> Iterator[str]:
    """What a package of a lock needs, by the groups for development and its extras, too."""
    tables = (package.get(key, {}) for key in ("dev-dependencies", "optional-dependencies"))
    groups = (group for table in tables for group in table.values())
    yield from (
        each["name"] for group in (package.get("dependencies", ()), *groups) for each in group
    )


def _is_in(package: Mapping[str, Any], place: str) -> bool:
    """Whether a package of a lock is the folder."""
    source = package.get("source", {})
    return any(source.get(key) == place for key in _SOURCES)


def refuse_stale(lock: Path, manifest: Path) -> None:
    """Raise DependencyError for a lock that was written before the dependencies were changed.

    `uv sync` would lock them anew. Source: uv, `crates/uv-resolver/src/lock/mod.rs`, satisfies.
    """
    project = pyproject.table(manifest, "project")
    noted = _noted(python_locked.table(lock), os.path.relpath(manifest.parent, lock.parent))
    if noted is None or "dependencies" in project.get("dynamic", ()):
        return
    try:
        asked = _asked(project.get("dependencies", ()))
    except InvalidRequirement:
        return
    for name in sorted({*asked} | {*noted}):
        ours, theirs = asked.get(name, set()), noted.get(name, set())
        if not (ours and theirs) or (None not in ours | theirs and ours != theirs):
            raise DependencyError(
                f"uv.lock was written for other dependencies than {manifest.name} has: {name}",
                fix="run `uv lock`, and commit uv.lock",
            )


def _noted(lock: Mapping[str, Any], place: str) -> _Asked | None:
    """What the project in a folder asked for when it was locked, if the lock says so."""
    for package in lock.get("package", ()):
        if _is_in(package, place) and "metadata" in package:
            found: _Asked = {}
            for entry in package["metadata"].get("requires-dist", ()):
                if "extra ==" not in entry.get("marker", ""):
                    is_elsewhere = not _ELSEWHERE.isdisjoint(entry)
                    versions = None if is_elsewhere else SpecifierSet(entry.get("specifier", ""))
                    found.setdefault(entry["name"], set()).add(versions)
            return found
    return None


def _asked(dependencies: Iterable[str]) -> _Asked:
    found: _Asked = {}
    for requirement in map(Requirement, dependencies):
        versions = None if requirement.url else requirement.specifier
        found.setdefault(canonicalize_name(requirement.name), set()).add(versions)
    return found
