"""Whether a uv.lock is a program's: a monorepo may have one at its root for something else."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from ... import files
from . import pyproject, python_locked

SOURCES: Final = ("virtual", "editable", "directory")
"""How a lock says which folder a package is in."""
_NAME: Final = "uv.lock"
_SDK: Final = "pulumi"


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
        if is_in(package, place):
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


def is_in(package: Mapping[str, Any], place: str) -> bool:
    """Whether a package of a lock is the folder."""
    source = package.get("source", {})
    return any(source.get(key) == place for key in SOURCES)
