"""The Pulumi project in a folder: `Pulumi.yaml`, and the files of its stacks.

Source of the formats: pulumi/pulumi `sdk/go/common/workspace/project.go`, `loaders.go` and
`paths.go`, and `sdk/go/common/tokens` for names.
"""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...contract import pulumi as contract
from .. import documents, files, strict_json
from ..errors import ProjectError, UsageError
from . import config_keys, declarations, package_sources
from .declarations import Declaration
from .package_sources import Source

_NAME = re.compile(r"(?!\.+(?:/|\Z))[A-Za-z0-9_.-]{1,100}")
"""A project's or a stack's; of dots alone, it would be a path."""
_STACK_FILE = re.compile(rf"Pulumi\.({_NAME.pattern})\.(?:yaml|yml|json)")
_ORGANIZATION = "organization"
"""What Pulumi calls the organization where a backend has none."""


@dataclass(frozen=True)
class Project:
    """A parsed `Pulumi.yaml`, or the `PulumiPlugin.yaml` of a component package."""

    root: Path
    repository: Path
    """The folder that links may not lead out of."""
    name: str
    runtime: str
    runtime_options: Mapping[str, Any]
    main: str
    """Program file or folder, relative to `root`."""
    declared: Mapping[str, Declaration]
    """The keys of the `config:` block, with their namespaces."""
    stack_config_dir: str
    file: str
    packages: Mapping[str, Source] = field(default_factory=dict)
    """Where its packages come from, by their names."""
    names_plugins: bool = False
    """Whether it says where its providers are, which may be others than those on PATH."""

    @property
    def is_package(self) -> bool:
        """Whether it is a component package, and no program."""
        return self.file.startswith("PulumiPlugin.")

    def entry(self) -> tuple[Path, str]:
        """The folder to run in and what to run there; `.` where the language finds it itself.

        As `main` says: a folder, or a file in one. Raises ProjectError when it does not exist
        or lies outside of the project.
        """
        where = f"`main` of {self.file}"
        try:
            path = (self.root / self.main).resolve()
        except (OSError, RuntimeError, ValueError) as error:
            raise ProjectError(f"{where} cannot be followed: {error}", fix="correct it") from error
        if not path.is_relative_to(self.root):
            raise ProjectError(
                f"{where} points out of the project", fix="name a file or folder of the project"
            )
        if path.is_dir():
            return path, "."
        if files.exists(path):
            return path.parent, path.name
        raise ProjectError(f"{where} names {self.main!r}, which does not exist", fix="correct it")


@dataclass(frozen=True)
class Stack:
    """A stack, by the parts of its name: `<organization>/<project>/<name>`."""

    name: str
    reference: str
    """As it was named, for a backend."""
    organization: str = _ORGANIZATION


def load_project(root: Path) -> Project:
    """Read the project file in `root`.

    Raises ProjectError when it is missing or exists in two formats, is not YAML, has no name or
    runtime, or declares configuration in a way that the Pulumi CLI would not take.
    """
    found = [root / name for name in contract.MARKERS if files.exists(root / name)]
    if not found:
        raise ProjectError(
            f"no Pulumi.yaml in the folder {root.name!r}",
            fix="point the Application's path at the folder of a Pulumi program",
        )
    if len(found) > 1:
        raise ProjectError(
            f"the folder has both {found[0].name} and {found[1].name}", fix="keep one of them"
        )
    path = found[0]
    repository = files.repository(root)
    document = read_document(path, repository)
    runtime, options = _runtime(document.get("runtime"), path.name)
    name = _project_name(document.get("name"), path.name)
    return Project(
        root=root,
        repository=repository,
        name=name,
        runtime=runtime,
        runtime_options=options,
        main=_text(document, "main", path.name),
        declared=_declared(document, name, path.name),
        stack_config_dir=_stack_config_dir(document, path.name),
        file=path.name,
        packages=package_sources.read(mapping(document, "packages", path.name), path.name),
        names_plugins=bool(document.get("plugins")),
    )


def load_package(path: Path, name: str, repository: Path) -> Project:
    """The component package of that name, of which `path` is the PulumiPlugin.yaml.

    Raises ProjectError when that is not YAML or has no runtime.
    """
    document = read_document(path, repository)
    runtime, options = _runtime(document.get("runtime"), path.name)
    return Project(
        root=path.parent,
        repository=repository,
        name=name,
        runtime=runtime,
        runtime_options=options,
        main="",
        declared={},
        stack_config_dir="",
        file=path.name,
        packages=package_sources.read(mapping(document, "packages", path.name), path.name),
    )


def choose_stack(project: Project, asked: str | None, *, allow_missing_file: bool) -> Stack:
    """The stack to render: the one asked for, else the only one the project has a file for.

    Raises UsageError when that leaves none or several, and for one without a file in a project
    that has files of others, unless that is allowed: a guess could deliver the wrong
    environment.
    """
    stacks = _stacks_with_files(project)
    if not asked:
        if len(stacks) == 1:
            return Stack(stacks[0], stacks[0])
        raise UsageError(
            f"no stack named, and {_there(project, stacks)}",
            fix="set the Application's plugin parameter `stack` (or env PULUMI_STACK)",
        )
    stack = _named(asked, project)
    may_lack_file = allow_missing_file or (not stacks and not project.stack_config_dir)
    if stack.name not in stacks and not may_lack_file:
        raise UsageError(
            f"stack {stack.name!r} has no {stack_file_name(project, stack)}, and "
            f"{_there(project, stacks)}",
            fix="correct the name, add the file, or set the plugin parameter "
            "`allowMissingStackFile` to true",
        )
    return stack


def stack_file_name(project: Project, stack: Stack) -> str:
    """What the stack's file is called: like the project's own, in the same format."""
    return f"Pulumi.{stack.name}{Path(project.file).suffix}"


def stack_file(project: Project, stack: Stack) -> Path | None:
    """The stack's file, if there is one.

    Raises ProjectError for something else in its place, and for one in a format other than
    the project file's, which the Pulumi CLI ignores.
    """
    wanted = stack_file_name(project, stack)
    suffixes = (Path(name).suffix for name in contract.MARKERS)
    for name in (f"Pulumi.{stack.name}{suffix}" for suffix in suffixes):
        path = stack_folder(project) / name
        if not files.exists(path, project.repository):
            continue
        if name != wanted:
            raise ProjectError(
                f"{name} is not what Pulumi reads beside {project.file}",
                fix=f"put it into {wanted}",
            )
    path = stack_folder(project) / wanted
    return path if files.exists(path, project.repository) else None


def read_document(path: Path, repository: Path) -> dict[str, Any]:
    """The mapping in a YAML or JSON file. Raises ProjectError for anything else in it."""
    text = files.text(path, repository)
    format_ = "JSON" if path.suffix == ".json" else "YAML"
    try:
        document = _json(text) if format_ == "JSON" else documents.parse(text.encode())
    except ValueError as error:
        reason = " ".join(str(error).split())
        raise ProjectError(f"{path.name} is not {format_}: {reason}", fix="correct it") from error
    if document is None:
        return {}
    if not isinstance(document, dict):
        raise ProjectError(f"{path.name} is not a {format_} mapping", fix="correct it")
    return document


def mapping(document: Mapping[str, Any], key: str, file: str) -> Mapping[Any, Any]:
    """The mapping at a key of a file, which may be absent. Raises ProjectError for other values."""
    value = document.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ProjectError(f"`{key}` of {file} is not a mapping", fix="correct it")
    return value


def _declared(document: Mapping[str, Any], project: str, file: str) -> dict[str, Declaration]:
    if isinstance(document.get("config"), str):
        # An older spelling of `stackConfigDir`.
        return {}
    config = mapping(document, "config", file)
    entries = config_keys.whole(config, project, f"`config` of {file}", ProjectError)
    return {
        key: declarations.read(key, entry, of_project=key.startswith(f"{project}:"), file=file)
        for key, entry in entries.items()
    }


def _stack_config_dir(document: Mapping[str, Any], file: str) -> str:
    folder, older = _text(document, "stackConfigDir", file), document.get("config")
    if not isinstance(older, str):
        return folder
    if folder:
        raise ProjectError(
            f"{file} names a folder of stacks twice, by `stackConfigDir` and by `config`",
            fix="keep `stackConfigDir`",
        )
    return older


def stack_folder(project: Project) -> Path:
    """Where the files of stacks are. Raises ProjectError outside of the repository."""
    # Go joins an absolute path as if it were a relative one.
    folder = Path(os.path.normpath(f"{project.root}/{project.stack_config_dir}"))
    if not folder.is_relative_to(project.repository):
        raise ProjectError(
            f"`stackConfigDir` of {project.file} leads out of the repository",
            fix="name a folder of the repository",
        )
    return folder


def _stacks_with_files(project: Project) -> list[str]:
    folder = stack_folder(project)
    try:
        names = [path.name for path in folder.iterdir()]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise ProjectError(
            f"the folder of stacks, {folder.name}, cannot be read: {error.strerror}",
            fix="correct `stackConfigDir`, or the folder's permissions",
        ) from error
    return sorted({match[1] for match in map(_STACK_FILE.fullmatch, names) if match})


def _there(project: Project, stacks: list[str]) -> str:
    folder = project.stack_config_dir and f" {project.stack_config_dir}"
    if not stacks:
        return f"the folder{folder} has no Pulumi.<stack>.yaml"
    return f"the folder{folder} has the stacks {', '.join(stacks)}"


def _named(asked: str, project: Project) -> Stack:
    """The stack that a reference names: `name`, `organization/name` or with the project between."""
    parts = asked.split("/")
    if len(parts) > 3 or not all(map(_NAME.fullmatch, parts)):  # noqa: PLR2004 - as above
        raise UsageError(
            f"{asked!r} is not a stack name",
            fix="use letters, digits, `-`, `_` and `.`, at most 100, as in `prod` or `acme/prod`",
        )
    *organization, name = parts
    if organization[1:] and organization[1] != project.name:
        raise UsageError(
            f"{asked!r} is a stack of the project {organization[1]!r}, and {project.file} is that "
            f"of {project.name!r}",
            fix="correct one of the two",
        )
    return Stack(name, asked, *organization[:1])


def _project_name(value: Any, file: str) -> str:
    if not isinstance(value, str) or not value:
        raise ProjectError(f"{file} has no name", fix="add `name: <project>`")
    if not _NAME.fullmatch(value):
        raise ProjectError(
            f"{file} has the name {value!r}, which no project can have",
            fix="use letters, digits, `-`, `_` and `.`, at most 100",
        )
    return value


def _runtime(value: Any, file: str) -> tuple[str, Mapping[str, Any]]:
    if isinstance(value, str) and value:
        return value, {}
    if isinstance(value, dict) and isinstance(value.get("name"), str):
        options = mapping(value, "options", file)
        try:
            return value["name"], documents.as_json(options, "`runtime.options`")
        except ValueError as error:
            raise ProjectError(f"{file} has {error}", fix="correct it") from error
    raise ProjectError(f"{file} has no runtime", fix="add `runtime: python` or another one")


def _json(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=strict_json.distinct)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def _text(document: Mapping[str, Any], key: str, file: str) -> str:
    value = document.get(key)
    if not isinstance(value, str | None):
        raise ProjectError(f"`{key}` of {file} is not a string", fix="correct it")
    return value or ""
