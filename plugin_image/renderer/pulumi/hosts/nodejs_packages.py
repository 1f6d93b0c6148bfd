"""Installs what a Node.js program depends on, by npm, into a `node_modules` in the cache."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from plugin_image.renderer.errors import DependencyError
from plugin_image.renderer.pulumi import dependencies
from plugin_image.renderer.pulumi.dependencies import Cache

IMAGE_MODULES = Path(__file__).resolve().parents[4] / "node_modules"
"""What programs run with that ask for no packages."""
_OTHER_LOCKS = ("npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb")
_LOCAL = ("file:", "link:", "workspace:", "./", "../", "/", "~/")
"""How a version begins that is a folder."""


def install(root: Path, cache: Cache) -> Path:
    """The `node_modules` that `package-lock.json` or `package.json` asks for, or else the image's.

    A folder that is there already, at someone's desk or committed, is used as it is.

    Raises DependencyError, also for the lock files of other tools, and DeadlineError.
    """
    manifest, lock = root / "package.json", root / "package-lock.json"
    if (root / "node_modules").is_dir():
        return root / "node_modules"
    if lock.is_file() and manifest.is_file():
        return _installed(cache, root, [manifest, lock], "ci")
    dependencies.refuse_other_locks(root, _OTHER_LOCKS, lock.name)
    package = _read(manifest) if manifest.is_file() else {}
    if not package.get("dependencies"):
        return IMAGE_MODULES
    _refuse_what_takes_a_lock(root, package)
    return _installed(cache, root, [manifest], "install")


def _refuse_what_takes_a_lock(root: Path, package: Mapping[str, Any]) -> None:
    """Raise DependencyError where npm would ask a registry for something else than was meant.

    Only the manifest is installed from: a stranger may have published a package with the
    name of one that is in a folder here, or in a registry that is set up here.
    """
    sections = (package.get(name) for name in ("dependencies", "devDependencies"))
    asked = [pair for section in sections if isinstance(section, dict) for pair in section.items()]
    local = next((name for name, version in asked if str(version).startswith(_LOCAL)), None)
    if local:
        found = f"{local} is in a folder"
    elif (root / ".npmrc").is_file():
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
        package = json.loads(manifest.read_text(encoding="utf-8-sig"))
    except ValueError as error:
        raise DependencyError(f"{manifest.name} is not JSON: {error}", fix="correct it") from error
    if not isinstance(package, dict):
        raise DependencyError(f"{manifest.name} is not a JSON object", fix="correct it")
    return package


def _installed(cache: Cache, root: Path, files: Sequence[Path], command: str) -> Path:
    """The `node_modules` of a folder with copies of these files, the manifest and its lock."""

    def fill(folder: Path) -> None:
        dependencies.copied(files, root, folder)
        # The program's own scripts expect the rest of its folder.
        package = {key: value for key, value in _read(files[0]).items() if key != "scripts"}
        (folder / files[0].name).write_text(json.dumps(package))
        cache.run([dependencies.tool("npm"), command, "--no-audit", "--no-fund"], folder)

    return cache.once("node", root, files, fill) / "node_modules"
