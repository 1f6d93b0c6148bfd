"""What a pyproject.toml says of the packages that its tools install for a program."""

import os
import tomllib
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

from ... import files

NAME: Final = "pyproject.toml"


def table(path: Path, *keys: str) -> dict[str, Any]:
    """A table of a TOML file; empty where there is none, and of what uv will report as no TOML."""
    try:
        found: Any = tomllib.loads(files.text(path)) if files.exists(path) else {}
    except tomllib.TOMLDecodeError:
        return {}
    for key in keys:
        found = found.get(key) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else {}


def installs_itself(named: Path, *, synced: bool = False) -> bool:
    """Whether the tool of a lock installs the project that it is of, too, as a package.

    `synced` means uv without a lock, with which a `uv.lock` says it itself.
    """
    manifest = named.with_name(NAME)
    if named.name == "pdm.lock":
        return _is_distribution(manifest)
    return _is_built(manifest) if synced else named.name == "poetry.lock" and _is_package(manifest)


def _is_distribution(manifest: Path) -> bool:
    """Whether PDM does so. Source: pdm, `src/pdm/project/core.py`, is_distribution."""
    settings = table(manifest, "tool", "pdm")
    if not table(manifest, "project").get("name"):
        return False
    if "package-type" in settings:
        return bool(settings["package-type"] == "library")
    return bool(settings.get("distribution", True))


def _is_built(manifest: Path) -> bool:
    """Whether uv does so. Source: uv, `crates/uv-workspace/src/pyproject.rs`, is_package."""
    is_set = table(manifest, "tool", "uv").get("package")
    return is_set if isinstance(is_set, bool) else bool(table(manifest, "build-system"))


def _is_package(manifest: Path) -> bool:
    """Whether Poetry does so, and not without there being anything, as before its version 2.

    Source: poetry-core, `src/poetry/core/masonry/utils/module.py`.
    """
    settings = table(manifest, "tool", "poetry")
    name = table(manifest, "project").get("name") or settings.get("name")
    is_built = settings.get("package-mode", True) and table(manifest, "build-system")
    if not is_built or not isinstance(name, str):
        return False
    # Imported here: it takes time to load, and Poetry's programs alone need it.
    from packaging.utils import canonicalize_name

    module = canonicalize_name(name).replace("-", "_")
    found = (manifest.parent / below / module for below in ("", "src"))
    return bool(settings.get("packages")) or any(
        place.is_dir() or files.is_there(place.with_suffix(".py")) for place in found
    )


def groups_of_poetry(manifest: Path) -> list[str]:
    """The groups that `poetry install` installs beside the packages themselves."""
    groups = table(manifest, "tool", "poetry", "group")
    wanted = {name for name, group in groups.items() if not _is_optional(group)}
    wanted.update(table(manifest, "dependency-groups"))
    if table(manifest, "tool", "poetry", "dev-dependencies"):
        wanted.add("dev")
    return sorted(wanted)


def adds_to_packages(manifest: Path) -> bool:
    """Whether `poetry install` installs more than `dependencies`: groups, or the project itself."""
    return _is_package(manifest) or bool(groups_of_poetry(manifest))


def _is_optional(group: Any) -> bool:
    return isinstance(group, dict) and bool(group.get("optional"))


def asks_uv(manifest: Path) -> bool:
    """Whether `uv sync` installs anything for a project: packages, groups of them, or itself."""
    project = table(manifest, "project")
    return bool(project) and bool(
        project.get("dependencies")
        or "dependencies" in project.get("dynamic", ())
        or table(manifest, "dependency-groups")
        or table(manifest, "tool", "uv").get("dev-dependencies")
        or _is_built(manifest)
    )


def workspace(folder: Path, repository: Path) -> Path | None:
    """The root of the workspace that uv takes a project's folder to be in: itself, or one above.

    Only the nearest project above counts. Source: uv, `crates/uv-workspace/src/workspace.rs`,
    find_workspace.
    """
    if _workspace_of(folder) is not None:
        return folder
    above = (each for each in files.upwards(folder, repository) if each != folder)
    root = next((each for each in above if files.exists(each / NAME)), None)
    found = _workspace_of(root) if root else None
    if root is None or found is None:
        return None
    place = folder.relative_to(root).as_posix()
    is_member = _is_among(found.get("members"), place)
    return root if is_member and not _is_among(found.get("exclude"), place) else None


def _workspace_of(folder: Path) -> dict[str, Any] | None:
    settings = table(folder / NAME, "tool", "uv")
    return table(folder / NAME, "tool", "uv", "workspace") if "workspace" in settings else None


def _is_among(patterns: Any, place: str) -> bool:
    """Whether one of the patterns is for a folder; `*` is for any characters in it, `/` too."""
    return any(
        fnmatchcase(place, os.path.normpath(pattern).replace("**/", "*"))
        for pattern in (patterns if isinstance(patterns, list) else ())
    )
