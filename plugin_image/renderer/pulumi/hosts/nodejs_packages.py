"""Installs what a Node.js program depends on into a `node_modules` in the cache.

The package manager gets copies of the manifests, without their scripts, of the lock, of archives
and of what makes `node_modules` what it is, at their places in the repository, and nothing else.
What it links to, the packages in folders of the repository, is used as it is there at each render.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ... import files
from ...errors import DependencyError
from .. import dependencies
from ..installer import Installer
from ..project import Project
from . import (
    bun,
    nodejs_entry,
    nodejs_layout,
    nodejs_links,
    nodejs_managers,
    nodejs_options,
    yarn,
)
from .host import Installed
from .nodejs_layout import Layout
from .nodejs_managers import Manager
from .nodejs_options import Options

IMAGE_MODULES = Path(__file__).resolve().parents[4] / "node_modules"
"""What programs that ask for no packages run with."""
_NOT_COPIED = frozenset({"scripts", "packageManager", "devEngines"})
"""Of a manifest: what would run, and what would have another version of the tool downloaded."""
_NPMRC = ".npmrc"
_SETTINGS = ("pnpm-workspace.yaml", _NPMRC, yarn.SETTINGS)
_ABOUT_FOLDERS = re.compile(
    r"\s*(?:[\w-]*hoist[\w-]*|node-linker|install-strategy|install-links|legacy-peer-deps|force"
    r"|omit|include|ignore-scripts|auto-install-peers|peers-suffix-max-length|dedupe-[\w-]+"
    r"|exclude-links-from-lockfile|[\w-]+-workspace-packages)(?:\[\])?\s*=.*"
)
"""The lines of an .npmrc that count: of what is in `node_modules`, not where that comes from."""
_INJECTED = re.compile(r"\bfile:([^\s'\"():]+)")
_PATCHES = ("patches", ".yarn/patches")
"""Where changes of packages are that locks name."""
_PATCH = re.compile(r"(?:~/)?([^\s\"'#:&]+\.(?:patch|diff))\b")
"""One that is elsewhere, from the root of the workspace or the manifest that names it."""


def install(project: Project, installer: Installer) -> Installed:
    """The `node_modules` that the lock or the package.json asks for, or else the image's.

    A folder that is there already, installed locally or committed, is used as it is.

    Raises DependencyError, also for the lock files of other tools, ProjectError and DeadlineError.
    """
    options = nodejs_options.read(project)
    program, _ = nodejs_entry.of(project)
    if there := nodejs_layout.installed(project, program):
        return Installed(there)
    layout = nodejs_layout.find(project, program)
    if layout is None or not _asks_for_packages(layout):
        folder = layout.folder if layout else project.root
        return Installed(IMAGE_MODULES, {folder / "node_modules": IMAGE_MODULES})
    modules, links = _installed(installer, layout, options)
    return Installed(modules, nodejs_links.everywhere(links, modules, project.repository))


def _asks_for_packages(layout: Layout) -> bool:
    """Whether there is anything to install: tools for development alone are not used here."""
    dependencies = map(nodejs_layout.read, layout.manifests)
    return bool(layout.locks) or any(package.get("dependencies") for package in dependencies)


def _installed(
    installer: Installer, layout: Layout, options: Options
) -> tuple[Path, Mapping[Path, Path]]:
    """The `node_modules` of a folder with copies of what decides about it, and all by place."""
    manager, lock = nodejs_managers.choose(layout, options, installer)
    inputs = _inputs(layout, manager, lock)
    base = dependencies.base(inputs, layout.repository)
    readable = bun.readable(lock, inputs, base, installer) if lock else None
    if readable:
        _refuse_strangers(layout, manager, readable)
    command = [manager.tool, *manager.command(layout, options, lock is not None)]
    left_out = layout.member_names if manager.asks_for_members else frozenset()

    def fill(folder: Path) -> None:
        dependencies.copied(inputs, base, folder)
        for path in _rewritten(layout, manager):
            manifest = _manifest(nodejs_layout.read(path), left_out)
            (folder / path.relative_to(base)).write_text(json.dumps(manifest))
        place = folder / layout.folder.relative_to(base)
        text = manager.lock_format(files.text(readable)) if readable else ""
        if readable:
            (place / readable.name).write_text(text)
        if manager.settings:
            own = layout.folder / yarn.SETTINGS
            written = manager.settings(files.text(own) if files.exists(own) else "", text)
            (place / yarn.SETTINGS).write_text(written)
        if (place / _NPMRC).exists():
            (place / _NPMRC).write_text(_about_folders(files.text(layout.folder / _NPMRC)))
        env = {**manager.env, manager.downloads: str(installer.cache.downloads(manager.tool))}
        installer.run([manager.found(installer), *command[1:]], place, env=env)
        if readable:
            manager.refuse_changes(text, (place / readable.name).read_text())

    store = installer.cache.once("node", base, inputs, fill, settings=command)
    places = nodejs_links.of(base, store, installer.scratch)
    return store / layout.folder.relative_to(base) / "node_modules", places


def _rewritten(layout: Layout, manager: Manager) -> list[Path]:
    """The manifests of which the manager gets what they say of packages, and nothing else."""
    kept = _copied(layout, manager, None) if manager.has_checksums_of_folders else []
    return [path for path in layout.manifests if path.parent not in kept]


def _copied(layout: Layout, manager: Manager, lock: Path | None) -> list[Path]:
    """The packages in folders of which the manager takes a copy, where others are linked to."""
    folders = {path: named for path, named in layout.local.items() if path.is_dir()}
    if manager.links_folders:
        # npm with `install-links`.
        copied = {*nodejs_managers.npm_copies(lock)} if lock else set()
        return [path for path in folders if path in copied]
    return [path for path, named in folders.items() if named.version.startswith("file:")]


def _injected(layout: Layout, lock: Path | None) -> list[Path]:
    """The members of a workspace of which pnpm takes a copy, as its lock says.

    Source: https://pnpm.io/package_json#dependenciesmetainjected.
    """
    if lock is None or lock.name != nodejs_layout.LOCKS["pnpm"][0]:
        return []
    named = set(_INJECTED.findall(files.text(lock)))
    return [m for m in layout.members if m.relative_to(layout.folder).as_posix() in named]


def _manifest(package: Mapping[str, Any], left_out: frozenset[str]) -> dict[str, Any]:
    """What a package.json says of packages: its scripts expect the rest of its folder."""
    manifest = {key: value for key, value in package.items() if key not in _NOT_COPIED}
    for section in nodejs_layout.SECTIONS:
        asked = manifest.get(section)
        if isinstance(asked, dict) and left_out:
            manifest[section] = {k: v for k, v in asked.items() if k not in left_out}
    return manifest


def _about_folders(settings: str) -> str:
    lines = settings.splitlines(keepends=True)
    return "".join(line for line in lines if _ABOUT_FOLDERS.fullmatch(line.strip()))


def _inputs(layout: Layout, manager: Manager, lock: Path | None) -> Sequence[Path]:
    """What decides about the packages: manifests, archives in the repository, the lock.

    Raises DependencyError for what is outside of the repository, and for a member of the workspace
    that the manager passes over.
    """
    if manager.asks_for_members:
        _refuse_nameless_members(layout)
    inputs = {*layout.manifests, *(path for path in layout.local if path.is_file())}
    for folder in (*_copied(layout, manager, lock), *_injected(layout, lock)):
        inputs.update(_files(folder, layout))
    settings = [path for name in _SETTINGS if files.exists(path := layout.folder / name)]
    inputs.update(settings)
    for name in _PATCHES:
        inputs.update(_files(layout.folder / name, layout))
    for file in (*layout.manifests, *settings):
        inputs.update(_patches(file, layout))
    if lock:
        # Other locks have such paths from the manifests, of which these are checked.
        for file, written in nodejs_managers.npm_paths(lock) if lock.suffix == ".json" else ():
            nodejs_layout.inside(file, written, layout.repository)
        inputs.add(lock)
    return sorted(inputs)


def _patches(file: Path, layout: Layout) -> Iterator[Path]:
    """The changes of packages that a manifest or settings name by a path.

    Raises DependencyError for one outside of the repository.
    """
    for written in _PATCH.findall(files.text(file)):
        for start in {file, layout.folder / file.name}:
            path = nodejs_layout.inside(start, written, layout.repository)
            if files.exists(path):
                yield path


def _refuse_strangers(layout: Layout, manager: Manager, lock: Path) -> None:
    """Raise DependencyError for a lock that has a package of the repository from a registry."""
    for stranger in manager.strangers(lock, layout.names):
        raise DependencyError(
            f"{lock.name} has {stranger} from a registry, and the repository has a package of "
            "that name",
            fix="write the lock again, or give one of the two another name",
        )


def _refuse_nameless_members(layout: Layout) -> None:
    """Raise DependencyError for what Yarn 1 would not install, or ask a registry for.

    Source: yarn, `src/config.js`, resolveWorkspaces.
    """
    of_root = nodejs_layout.asked(layout.package)
    for folder in layout.members:
        manifest = folder / "package.json"
        package = nodejs_layout.read(manifest)
        lacks = next((key for key in ("name", "version") if not package.get(key)), None)
        is_needed = folder == layout.program and nodejs_layout.asked(package) - of_root
        if lacks and (is_needed or package.get("name") in layout.names):
            raise DependencyError(
                f"{manifest.relative_to(layout.repository)} has no {lacks}, and Yarn 1 passes over "
                "such a member of a workspace",
                fix=f"add a {lacks} to it, and commit what `yarn install` then writes",
            )


def _files(folder: Path, layout: Layout) -> Sequence[Path]:
    return dependencies.project_files(folder, layout.repository, without=["node_modules"])
