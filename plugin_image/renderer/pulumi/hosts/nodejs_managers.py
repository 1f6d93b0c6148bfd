"""How npm, pnpm, Yarn and Bun install what their locks say, and nothing else.

Which one installs is chosen as Pulumi does: by the option `packagemanager`, or else by the lock
that is there. Source: pulumi/pulumi `sdk/nodejs/npm/manager.go`, ResolvePackageManager.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from ... import files
from ...errors import DependencyError
from ..installer import Installer
from . import bun, nodejs_layout, yarn
from .nodejs_layout import Layout
from .nodejs_options import Options

_NPM_LOCK: Final = "package-lock.json"
_PNPM_FORMAT: Final = re.compile(r"^lockfileVersion: '?(\d+)\.", re.MULTILINE)
_PNPM_HOOKS: Final = re.compile(r"^pnpmfileChecksum: .*\n+", re.MULTILINE)
"""That of a .pnpmfile.cjs, which changes manifests before they are locked. It is not needed."""
_PNPM: Final = {"5": "pnpm-7", "6": "pnpm-8", "9": "pnpm"}
"""Which pnpm reads which format of its lock: the current one none but its own.
Source: pnpm/pnpm, lockfile/fs/src/read.ts."""


_YARN_OPTIONS: Final = re.compile(
    r"^\s*\"?(?:--(?:install\.)?)?(ignore-(?:engines|optional|platform|scripts))\"?\s+\"?true\"?\s*$",
    re.MULTILINE,
)
"""What counts of a .yarnrc: how packages are installed, not where they are from."""


@dataclass(frozen=True)
class Manager:
    """A package manager."""

    tool: str
    command: Callable[[Layout, Options, bool], list[str]]
    """Its arguments, with a lock or without one."""
    strangers: Callable[[Path, frozenset[str]], Iterator[str]]
    """Those of the names that a lock has from a registry."""
    downloads: str
    """The variable that names the folder for what it downloads."""
    env: Mapping[str, str] = field(default_factory=dict)
    links_folders: bool = False
    """Whether what `file:` names is linked to, where others take a copy."""
    has_checksums_of_folders: bool = False
    """Whether its lock has the checksum of such a copy, in which no byte may be another one."""
    asks_for_members: bool = False
    """Whether it may ask a registry for a member of the workspace, for a version that it is not."""
    lock_format: Callable[[str], str] = str
    """Makes of a lock what the tool takes."""
    settings: Callable[[str, str], str] | None = None
    """Makes settings of those of the repository and the lock."""
    refuse_changes: Callable[[str, str], None] = lambda _before, _after: None
    """Raises DependencyError where it has installed something else than the lock has, by the lock
    before and after."""
    path: Callable[[Installer], Path] | None = None
    """Finds the tool, where that is more than to look for it."""

    def found(self, installer: Installer) -> Path:
        """The tool. Raises DependencyError where it cannot be had, and DeadlineError."""
        return self.path(installer) if self.path else installer.tool(self.tool)


def choose(layout: Layout, options: Options, installer: Installer) -> tuple[Manager, Path | None]:
    """The package manager of a program, and its lock; npm does without, where that is safe.

    Raises DependencyError where it is missing, and for a lock that none here reads.
    """
    if options.manager != "auto":
        lock = layout.locks.get(options.manager)
        if lock is None and options.manager != "npm":
            manifest = (layout.folder / "package.json").relative_to(layout.repository)
            raise DependencyError(
                f"`packagemanager` is {options.manager}, and there is no lock of it",
                fix=f"commit its lock beside {manifest}",
            )
        return _of(options.manager, lock), lock
    known = [(_of(name, lock), lock) for name, lock in layout.locks.items()]
    # Pulumi takes the next one, too, where a tool is missing.
    there = (found for found in known if installer.has(found[0].tool))
    if found := next(there, next(iter(known), None)):
        return found
    _refuse_what_takes_a_lock(layout)
    return _of("npm", None), None


def _of(name: str, lock: Path | None) -> Manager:
    if name == "pnpm" and lock:
        return MANAGERS[_pnpm_of(files.text(lock))]
    if name == "yarn" and lock and yarn.is_newer(text := files.text(lock)):
        return MANAGERS[yarn.tool(text)]
    return MANAGERS[name]


def _pnpm_of(lock: str) -> str:
    """The pnpm that reads a lock. Raises DependencyError where none here does."""
    found = _PNPM_FORMAT.search(lock)
    if found is None or found[1] not in _PNPM:
        raise DependencyError(
            "pnpm-lock.yaml is in a format that no pnpm from 6 to 10 writes",
            fix="write it again by `pnpm install` of pnpm 10, and commit the lock",
        )
    return _PNPM[found[1]]


def _refuse_what_takes_a_lock(layout: Layout) -> None:
    """Raise DependencyError where npm would ask a registry for something other than was meant.

    npm goes by the manifest alone: a stranger may have published a package with the name of
    one that is in a folder here, or in a registry that is set up here.
    """
    if layout.in_workspace:
        found = "it belongs to workspaces"
    elif local := next(iter(layout.local.values()), None):
        found = f"{local.name} is in a folder"
    elif files.exists(layout.folder / ".npmrc"):
        found = "there are settings in .npmrc"
    else:
        return
    place = "it" if layout.program == layout.folder else "that of the workspace"
    raise DependencyError(
        f"package.json asks for packages without a {_NPM_LOCK}, and {found}",
        fix=f"commit a {_NPM_LOCK} beside {place}",
    )


def _npm(layout: Layout, options: Options, locked: bool) -> list[str]:
    command = ["ci" if locked else "install", "--no-audit", "--no-fund"]
    if layout.program != layout.folder:
        command += [f"--workspace={_member(layout)}", "--include-workspace-root"]
    return command + (["--omit=dev"] if options.production else [])


def _pnpm(layout: Layout, options: Options, _locked: bool) -> list[str]:
    command = ["install", "--frozen-lockfile", "--reporter=append-only"]
    if layout.program != layout.folder:
        # The member, all that it uses, and the root.
        command += [f"--filter={{./{_member(layout)}}}...", "--filter={.}"]
    return command + (["--prod"] if options.production else [])


def _yarn(layout: Layout, options: Options, _locked: bool) -> list[str]:
    command = ["install", "--frozen-lockfile", "--non-interactive", "--no-default-rc"]
    settings = layout.folder / ".yarnrc"
    written = files.text(settings) if files.exists(settings) else ""
    command += [f"--{option}" for option in sorted({*_YARN_OPTIONS.findall(written)})]
    return command + (["--production"] if options.production else [])


def _berry(_layout: Layout, options: Options, _locked: bool) -> list[str]:
    if options.production:
        raise DependencyError(
            "`production` in `runtime.options` is not taken with Yarn 2 and newer",
            fix="remove the option",
        )
    return ["install", "--no-immutable"]


def _bun(_layout: Layout, _options: Options, _locked: bool) -> list[str]:
    # As Pulumi calls it, in production, too.
    return ["install", "--frozen-lockfile"]


def _member(layout: Layout) -> Path:
    return layout.program.relative_to(layout.folder)


def _npm_strangers(lock: Path, names: frozenset[str]) -> Iterator[str]:
    for path, entry in _entries(nodejs_layout.read(lock)):
        name = path.rpartition("node_modules/")[2]
        from_file = (str(entry.get(key)).startswith("file:") for key in ("version", "resolved"))
        is_local = entry.get("link") or any(from_file)
        if name in names and name != path and not is_local:
            yield name


def npm_paths(lock: Path) -> Iterator[tuple[Path, str]]:
    """The folders and archives that a lock of npm names, each with what it is relative to.

    That is the lock, and for what a package in a folder asks for a file of that folder.
    """
    for place, entry in _entries(nodejs_layout.read(lock)):
        if not _is_installed(place):
            yield lock, place
        for key in ("resolved", "version"):
            text = str(entry.get(key, ""))
            if written := text if entry.get("link") else nodejs_layout.path_of(text):
                yield lock, written
        for section in nodejs_layout.SECTIONS:
            asked = entry.get(section)
            for version in asked.values() if isinstance(asked, dict) else ():
                # Before npm 7, these are packages in their turn.
                if isinstance(version, str) and (written := nodejs_layout.path_of(version)):
                    yield lock.parent / place / lock.name, written


def _is_installed(place: str) -> bool:
    """Whether npm makes it, in a folder of its own: most are, and there are hundreds."""
    first, *others = place.split("/")
    return first == "node_modules" and ".." not in others


def npm_copies(lock: Path) -> Iterator[Path]:
    """The folders of which npm installs a copy, where it links to others: with `install-links`.

    Those before npm 7 are links, without a word of it.
    """
    for _, entry in _entries(nodejs_layout.read(lock)):
        written = nodejs_layout.path_of(str(entry.get("resolved", "")))
        if written and not entry.get("link"):
            yield Path(os.path.normpath(lock.parent / written))


def _entries(locked: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """The packages of a lock by their place: as it has them since npm 7, or from before."""
    packages, older = locked.get("packages"), locked.get("dependencies")
    if isinstance(packages, dict):
        yield from ((path, entry) for path, entry in packages.items() if isinstance(entry, dict))
    elif isinstance(older, dict):
        for name, entry in older.items():
            if isinstance(entry, dict):
                yield f"{above}node_modules/{name}", entry
                yield from _entries(entry, f"{above}node_modules/{name}/")


def _strangers_by(entry: str) -> Callable[[Path, frozenset[str]], Iterator[str]]:
    """Finds packages by how the line of one from a registry looks, behind which comes a version."""

    def strangers(lock: Path, names: frozenset[str]) -> Iterator[str]:
        text = files.text(lock)
        for name in sorted(names):
            if re.search(entry.format(re.escape(name)), text, re.MULTILINE):
                yield name

    return strangers


MANAGERS: Final[Mapping[str, Manager]] = {
    "npm": Manager("npm", _npm, _npm_strangers, "npm_config_cache", links_folders=True),
    **{
        tool: Manager(
            tool,
            _pnpm,
            _strangers_by(r"^  ['\"]?/?{}[@/]\d"),
            "npm_config_store_dir",
            {"CI": "true", "npm_config_manage_package_manager_versions": "false"},
            lock_format=partial(_PNPM_HOOKS.sub, ""),
        )
        for tool in _PNPM.values()
    },
    "bun": Manager(
        bun.NAME,
        _bun,
        _strangers_by(r"^    \".*\": \[\"{}@\d"),
        "BUN_INSTALL_CACHE_DIR",
        bun.ENV,
        path=bun.path,
    ),
    "yarn": Manager(
        "yarn",
        _yarn,
        _strangers_by(r"^(?:.*, )?\"?{}@(?!file:|link:)"),
        "YARN_CACHE_FOLDER",
        {"YARN_IGNORE_PATH": "1"},
        asks_for_members=True,
    ),
    **{
        tool: Manager(
            tool,
            _berry,
            _strangers_by(r"^  resolution: \"{}@npm:"),
            "YARN_CACHE_FOLDER",
            {
                "YARN_ENABLE_GLOBAL_CACHE": "false",
                "YARN_ENABLE_TELEMETRY": "0",
                "YARN_IGNORE_PATH": "1",
                # Pulumi finds no packages otherwise.
                "YARN_NODE_LINKER": "node-modules",
            },
            has_checksums_of_folders=True,
            lock_format=lock_format,
            settings=yarn.settings,
            refuse_changes=yarn.refuse_changes,
        )
        for tool, lock_format in (("yarn-3", str), ("yarn-berry", yarn.formatted))
    },
}
