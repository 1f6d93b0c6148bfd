"""Installs what a Node.js program depends on, by npm, into a `node_modules` in the cache."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ... import files
from ...errors import DependencyError
from .. import dependencies
from ..installer import Installer

IMAGE_MODULES = Path(__file__).resolve().parents[4] / "node_modules"
"""What programs that ask for no packages run with."""
_OTHER_LOCKS = ("npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb")
_OUTSIDE = re.compile(r'"(?:(?:file|link):(?://)?)?(?:/|~/|\.\.(?:/|"))')
"""A string that names a folder or an archive outside of the project."""
_SECTIONS = ("dependencies", "devDependencies", "optionalDependencies", "overrides")
_LOCAL = ("file:", "link:", "workspace:", "./", "../", "/", "~/")
"""How a version that is a folder begins."""


def install(root: Path, installer: Installer) -> Path:
    """The `node_modules` that `package-lock.json` or `package.json` asks for, or else the image's.

    A folder that is there already, installed locally or committed, is used as it is.

    Raises DependencyError, also for the lock files of other tools, and DeadlineError.
    """
    manifest, lock = root / "package.json", root / "package-lock.json"
    if (root / "node_modules").is_dir():
        return root / "node_modules"
    if files.exists(lock) and files.exists(manifest):
        return _installed(installer, root, [manifest, lock], "ci")
    dependencies.refuse_other_locks(root, _OTHER_LOCKS, lock.name)
    package = _read(manifest) if files.exists(manifest) else {}
    if not package.get("dependencies"):
        return IMAGE_MODULES
    _refuse_what_takes_a_lock(root, package)
    return _installed(installer, root, [manifest], "install")


def _refuse_what_takes_a_lock(root: Path, package: Mapping[str, Any]) -> None:
    """Raise DependencyError where npm would ask a registry for something other than was meant.

    npm goes by the manifest alone: a stranger may have published a package with the name of
    one that is in a folder here, or in a registry that is set up here.
    """
    sections = (package.get(name) for name in ("dependencies", "devDependencies"))
    asked = [pair for section in sections if isinstance(section, dict) for pair in section.items()]
    local = next((name for name, version in asked if str(version).startswith(_LOCAL)), None)
    if local:
        found = f"{local} is in a folder"
    elif files.exists(root / ".npmrc"):
        found = "there are settings in .npmrc"
    elif "workspaces" in package or any(map(_has_workspaces, root.parents)):
        found = "it belongs to workspaces"
    else:
        return
    raise DependencyError(
        f"package.json asks for packages without a package-lock.json, and {found}",
        fix="commit a package-lock.json beside it, of published packages",
    )


def _has_workspaces(folder: Path) -> bool:
    manifest = folder / "package.json"
    return manifest.is_file() and "workspaces" in _read(manifest)


def _read(manifest: Path) -> dict[str, Any]:
    try:
        package = json.loads(files.text(manifest))
    except (ValueError, RecursionError) as error:
        raise DependencyError(f"{manifest.name} is not JSON: {error}", fix="correct it") from error
    if not isinstance(package, dict):
        raise DependencyError(f"{manifest.name} is not a JSON object", fix="correct it")
    return package


def _asked(named: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    """What the manifest and its lock say about packages."""
    manifest, *locks = named
    package = _read(manifest)
    yield manifest, json.dumps([package.get(section) for section in _SECTIONS])
    yield from ((lock, files.text(lock)) for lock in locks)


def _installed(installer: Installer, root: Path, named: Sequence[Path], command: str) -> Path:
    """The `node_modules` of a folder with copies of these files, the manifest and its lock."""
    for path, text in _asked(named):
        if _OUTSIDE.search(text):
            raise DependencyError(
                f"{path.name} names a package outside of the project",
                fix="publish the package, and name its version",
            )

    def fill(folder: Path) -> None:
        dependencies.copied(named, root, folder)
        # The program's own scripts expect the rest of its folder to be there.
        package = {key: value for key, value in _read(named[0]).items() if key != "scripts"}
        (folder / named[0].name).write_text(json.dumps(package))
        env = {"npm_config_cache": str(installer.cache.downloads("npm"))}
        installer.run([installer.tool("npm"), command, "--no-audit", "--no-fund"], folder, env=env)

    return installer.cache.once("node", root, named, fill) / "node_modules"
