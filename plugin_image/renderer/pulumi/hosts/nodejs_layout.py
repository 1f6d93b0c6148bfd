"""Finds what decides about a JavaScript or TypeScript program's packages, in its repository.

That is the nearest package.json that asks for packages, from the program's folder up, or the root
of the workspace that it belongs to; its lock; and the packages that are folders of the repository.
Source: pulumi/pulumi `sdk/nodejs/npm/workspaces.go` and `manager.go`.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

from ... import documents, files
from ...errors import DependencyError
from ..project import Project

SDK: Final = "@pulumi/pulumi"
_MANIFEST: Final = "package.json"
_PNPM_WORKSPACE: Final = "pnpm-workspace.yaml"
_SETTINGS: Final = (_PNPM_WORKSPACE, ".yarnrc.yml")
_CHANGING: Final = ("overrides", "packageExtensions", "catalog", "catalogs")
"""What in settings changes which versions packages ask for, and may name packages in folders."""
SECTIONS: Final = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")
_FOLDER: Final = re.compile(
    r"(?:file|link|portal):(?://(?=/|~/))?(?P<path>.*)|(?P<bare>[.~]{0,2}/.*)"
)
"""A version that is a folder or an archive: `file:../lib`, `link:./lib`, `../lib`, `/opt/lib`."""
LOCKS: Final[Mapping[str, tuple[str, ...]]] = {
    "yarn": ("yarn.lock",),
    "pnpm": ("pnpm-lock.yaml",),
    "bun": ("bun.lock", "bun.lockb"),
    "npm": ("npm-shrinkwrap.json", "package-lock.json"),
}
"""The locks of each package manager; managers and locks in the order in which they count."""


class Named(NamedTuple):
    """What a package.json names by a path: a package in a folder, or an archive."""

    path: Path
    name: str
    version: str
    """As it is written."""


@dataclass(frozen=True)
class Layout:
    """The packages of a program, as far as they are looked at before anything is installed."""

    folder: Path
    """Where its `node_modules` would be: the root of the workspace, or the nearest package.json."""
    program: Path
    """The folder of the program's own package.json: this one, or a part of the workspace."""
    repository: Path

    @cached_property
    def package(self) -> Mapping[str, Any]:
        """The package.json of `folder`."""
        return read(self.folder / _MANIFEST)

    @cached_property
    def locks(self) -> Mapping[str, Path]:
        """The lock of each package manager that has one here."""
        paths = {name: [self.folder / lock for lock in locks] for name, locks in LOCKS.items()}
        found = {name: next(filter(files.exists, paths[name]), None) for name in paths}
        return {name: path for name, path in found.items() if path}

    @cached_property
    def members(self) -> list[Path]:
        """The folders of the workspace's packages, without the root."""
        patterns = _patterns(self.folder)
        found = {
            manifest.parent
            for pattern in patterns
            if not pattern.startswith("!")
            for manifest in self.folder.glob(f"{pattern}/{_MANIFEST}")
        }
        return sorted(folder for folder in found if _is_member(folder, self.folder, patterns))

    @cached_property
    def local(self) -> Mapping[Path, Named]:
        """What packages of the repository this one and its workspace name by a path, by that path.

        Raises DependencyError for what is not in the repository.
        """
        found: dict[Path, Named] = {}
        waiting = [self.folder, *self.members]
        while waiting:
            for named in _in_folders(waiting.pop(), self.repository):
                if named.path not in found:
                    found[named.path] = named
                    waiting += [named.path] if files.exists(named.path / _MANIFEST) else []
        return found

    @cached_property
    def manifests(self) -> list[Path]:
        """Its package.json and those of all packages that are in folders."""
        folders = {self.folder, *self.members, *self.local}
        return sorted(path for folder in folders if files.exists(path := folder / _MANIFEST))

    @cached_property
    def names(self) -> frozenset[str]:
        """Packages in folders that others here ask for by name: no registry is asked for them."""
        packages = [read(manifest) for manifest in self.manifests]
        named = {name for package in packages for name in asked(package)}
        local = (local.name for path, local in self.local.items() if path.is_dir())
        return frozenset(named.intersection([*local, *(p.get("name", "") for p in packages)]))

    @property
    def member_names(self) -> frozenset[str]:
        """The names of the other packages of the workspace."""
        named = (read(folder / _MANIFEST).get("name") for folder in self.members)
        return frozenset(name for name in named if isinstance(name, str))

    @property
    def in_workspace(self) -> bool:
        """Whether other packages of the repository may belong to it."""
        return any(map(_patterns, files.upwards(self.program, self.repository)))


def find(project: Project, program: Path) -> Layout | None:
    """The packages of the program in the folder `program`; None where it asks for none.

    A package.json above the project's folder counts if it asks for the Pulumi SDK, or has the
    project in its workspace.
    """
    for folder in files.upwards(program, project.repository):
        if not files.exists(folder / _MANIFEST):
            continue
        root = _workspace(folder, project.repository)
        if root and _is_locked(folder) and not _is_locked(root):
            root = folder
        if root or _asks(folder, inside=folder.is_relative_to(project.root)):
            return Layout(root or folder, folder, project.repository)
    return None


def installed(project: Project, program: Path) -> Path | None:
    """A `node_modules` that is there already, installed locally or committed."""
    for folder in files.upwards(program, project.repository):
        modules = folder / "node_modules"
        is_own = folder == project.root or (modules / SDK).is_dir()
        if is_own and modules.is_dir():
            return modules
    return None


def read(manifest: Path) -> dict[str, Any]:
    """What a package.json says. Raises DependencyError for what is no JSON object."""
    try:
        package = json.loads(files.text(manifest))
    except (ValueError, RecursionError) as error:
        raise DependencyError(f"{manifest.name} is not JSON: {error}", fix="correct it") from error
    if not isinstance(package, dict):
        raise DependencyError(f"{manifest.name} is not a JSON object", fix="correct it")
    return package


def asked(package: Mapping[str, Any]) -> frozenset[str]:
    """The names of the packages that a package.json asks for."""
    return frozenset(name for section in SECTIONS for name in _section(package, section))


def _asks(folder: Path, *, inside: bool) -> bool:
    package = read(folder / _MANIFEST)
    if SDK in asked(package):
        return True
    return inside and (_is_locked(folder) or bool(_section(package, "dependencies")))


def _is_locked(folder: Path) -> bool:
    return any(files.exists(folder / lock) for locks in LOCKS.values() for lock in locks)


def _section(package: Mapping[str, Any], name: str) -> dict[str, Any]:
    section = package.get(name)
    return section if isinstance(section, dict) else {}


def _workspace(folder: Path, repository: Path) -> Path | None:
    """The root of the workspace that the package in a folder is a member of."""
    for above in files.upwards(folder, repository):
        if above != folder and _is_member(folder, above, _patterns(above)):
            return above
    return None


def _patterns(folder: Path) -> list[str]:
    """What a folder says that the packages of its workspace are; nothing where it is no root."""
    found: Any = _settings(folder / _PNPM_WORKSPACE)
    if "packages" not in found:
        found = read(folder / _MANIFEST) if files.exists(folder / _MANIFEST) else {}
        found = {"packages": found.get("workspaces")}
    found = found["packages"]
    if isinstance(found, dict):
        # The extended form of Yarn.
        found = found.get("packages")
    patterns = [text for text in found or [] if isinstance(text, str)]
    return [
        re.sub(r"^(!?)\./", r"\1", each).rstrip("/") for text in patterns for each in _each(text)
    ]


def _settings(file: Path) -> dict[str, Any]:
    """What a file with settings says, if it is there. Raises DependencyError for no YAML."""
    try:
        found = documents.parse(files.text(file).encode()) if files.exists(file) else {}
    except ValueError as error:
        raise DependencyError(f"{file.name} is not YAML: {error}", fix="correct it") from error
    return found if isinstance(found, dict) else {}


def _each(pattern: str) -> list[str]:
    """The patterns that one with alternatives stands for: `{apps,libs}/*`."""
    found = re.fullmatch(r"(.*?)\{([^{}]*)\}(.*)", pattern)
    if found is None:
        return [pattern]
    head, alternatives, tail = found.groups()
    return [each for one in alternatives.split(",") for each in _each(f"{head}{one}{tail}")]


def _is_member(folder: Path, root: Path, patterns: list[str]) -> bool:
    path = folder.relative_to(root)
    if "node_modules" in path.parts:
        return False
    excluded = (text[1:] for text in patterns if text.startswith("!"))
    included = (text for text in patterns if not text.startswith("!"))
    matches = (_regex(text).fullmatch(path.as_posix()) for text in included)
    return any(matches) and not any(_regex(text).fullmatch(path.as_posix()) for text in excluded)


def _regex(pattern: str) -> re.Pattern[str]:
    """A pattern of folders, in which `*` is a part of one name, and `**` any folders."""
    tokens = re.split(r"(\*\*/|/\*\*|\*\*|\*|\?)", pattern)
    known = {"**/": "(?:.*/)?", "/**": "(?:/.*)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(known.get(token, re.escape(token)) for token in tokens))


def _in_folders(folder: Path, repository: Path) -> Iterator[Named]:
    """What the package.json of a folder, and the settings beside it, name by a path."""
    for file, section in _asking(folder):
        for name, version in _versions(section):
            if written := path_of(version):
                path = inside(file, written, repository)
                if not files.is_there(path):
                    raise DependencyError(
                        f"{file.name} names {version}, which does not exist", fix="correct it"
                    )
                yield Named(path, name, version)


def _asking(folder: Path) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """The files in a folder that ask for packages, with the parts that do."""
    manifest = folder / _MANIFEST
    package = read(manifest)
    for section in (*SECTIONS[:3], "overrides", "resolutions"):
        yield manifest, _section(package, section)
    changing = [(manifest, _section(package, "pnpm"))]
    changing += [(folder / name, _settings(folder / name)) for name in _SETTINGS]
    for file, settings in changing:
        for section in _CHANGING:
            yield file, _section(settings, section)


def path_of(version: str) -> str:
    """The folder or archive that a version names, as it is written; nothing for another one."""
    found = _FOLDER.fullmatch(version)
    return (found["path"] or found["bare"] or ".") if found else ""


def _versions(node: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, part in node.items():
        if isinstance(part, str):
            yield name, part
        elif isinstance(part, dict):
            yield from _versions(part)


def inside(file: Path, written: str, repository: Path) -> Path:
    """The path of the repository that a file names. Raises DependencyError for any other."""
    path = Path(os.path.normpath(file.parent / written))
    real = path.resolve()
    if (
        written.startswith(("/", "~"))
        or not path.is_relative_to(repository)
        or not real.is_relative_to(repository.resolve())
    ):
        raise DependencyError(
            f"{file.name} names a package outside of the repository",
            fix="move it into the repository, or publish it and name its version",
        )
    return path
