"""Whether a uv.lock was written for the dependencies that a pyproject.toml has by now.

uv could tell, but would refuse a lock as well where the plugin has another index than its writer.
So what the lock has noted of the manifest is compared here. Extras, groups and markers are not.
"""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from ...errors import DependencyError
from . import pyproject, python_locked, uv_lock

_ELSEWHERE: Final = frozenset({*uv_lock.SOURCES, "path", "url", "git"})
"""What a package is from that has no versions to choose from."""
_Asked = dict[str, set[SpecifierSet | None]]
"""Versions by the names of packages; none where any is right."""


def refuse(lock: Path, manifest: Path) -> None:
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
        if uv_lock.is_in(package, place) and "metadata" in package:
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
