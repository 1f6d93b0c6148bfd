"""The Pulumi project in a folder: `Pulumi.yaml`, its stacks, its configuration.

Source of the formats: pulumi/pulumi `sdk/go/common/workspace/project.go` and
`sdk/go/common/resource/config/`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from plugin_image.renderer import documents
from plugin_image.renderer.errors import ProjectError, UsageError
from plugin_image.renderer.pulumi import cloud_config, redaction
from plugin_image.renderer.pulumi.decryption import decrypt_value, passphrase_decrypter
from plugin_image.renderer.pulumi.monitor import wire

PROJECT_FILES = ("Pulumi.yaml", "Pulumi.yml", "Pulumi.json")


@dataclass(frozen=True)
class Project:
    """A parsed `Pulumi.yaml`."""

    root: Path
    name: str
    runtime: str
    runtime_options: Mapping[str, Any]
    main: str
    """Program file or folder, relative to `root`."""
    config: Mapping[str, Any]
    """The `config:` block: defaults and declarations, key by key."""
    stack_config_dir: str
    file: str


@dataclass(frozen=True)
class Configuration:
    """A stack's configuration as programs receive it: strings, keys with a namespace."""

    values: Mapping[str, str]
    typed: Mapping[str, Any] = field(default_factory=dict)
    """The same as they are written, in wire form; YAML programs heed their types."""
    secret_keys: frozenset[str] = field(default_factory=frozenset)

    def secrets(self) -> list[str]:
        """Every secret value, for redaction: whole, and each text inside a structured one."""
        found: list[str] = []
        for key in self.secret_keys:
            found.append(self.values[key])
            found.extend(redaction.texts_in(_structure(self.values[key])))
        return found


def load_project(root: Path) -> Project:
    """Read the project file in `root`.

    Raises ProjectError when it is missing, is not YAML, or lacks a name or runtime.
    """
    path = next((root / name for name in PROJECT_FILES if (root / name).is_file()), None)
    if path is None:
        raise ProjectError(
            f"no Pulumi.yaml in the folder {root.name!r}",
            fix="point the Application's path at the folder of a Pulumi program",
        )
    document = _read_yaml(path)
    runtime, options = _runtime(document.get("runtime"), path.name)
    name = document.get("name")
    if not isinstance(name, str) or not name:
        raise ProjectError(f"{path.name} has no name", fix="add `name: <project>`")
    return Project(
        root=root,
        name=name,
        runtime=runtime,
        runtime_options=options,
        main=_text(document, "main", path.name),
        config=_mapping(document, "config", path.name),
        stack_config_dir=_text(document, "stackConfigDir", path.name),
        file=path.name,
    )


def choose_stack(project: Project, asked: str | None) -> str:
    """The stack to render: the one asked for, else the only one the folder has a file for.

    Raises UsageError when that leaves none or several: a guess could deliver the wrong
    environment.
    """
    if asked:
        return asked
    stacks = sorted(
        path.name.removeprefix("Pulumi.").rpartition(".")[0]
        for path in (project.root / project.stack_config_dir).glob("Pulumi.*.y*ml")
    )
    if len(stacks) == 1:
        return stacks[0]
    there = (
        f"the folder has the stacks {', '.join(stacks)}"
        if stacks
        else "the folder has no Pulumi.<stack>.yaml"
    )
    raise UsageError(
        f"no stack named, and {there}",
        fix="set the Application's plugin parameter `stack` (or env PULUMI_STACK)",
    )


def load_configuration(
    project: Project, stack: str, overrides: Mapping[str, str], passphrase: str | None
) -> Configuration:
    """The stack's configuration: project defaults, then the stack's file, then `overrides`.

    A missing stack file is an empty one, as for the Pulumi CLI. Raises ProjectError for a
    file that cannot be used or decrypted, and for a declared key without a value.
    """
    values: dict[str, str] = {}
    typed: dict[str, Any] = {}
    secret_keys: set[str] = set()
    sources = (
        _in_plain(_defaults(project)),
        _stack_values(project, stack, passphrase),
        _in_plain(overrides),
    )
    for key, (value, secret) in chain.from_iterable(source.items() for source in sources):
        full = _with_namespace(key, project)
        values[full] = value if isinstance(value, str) else documents.to_json(value)
        typed[full] = wire.secret(value) if secret else value
        (secret_keys.add if secret else secret_keys.discard)(full)
    _require_declared(project, stack, values)
    return Configuration(values, typed, frozenset(secret_keys))


def _in_plain(values: Mapping[str, Any]) -> dict[str, tuple[Any, bool]]:
    return {key: (value, False) for key, value in values.items()}


def _stack_values(
    project: Project, stack: str, passphrase: str | None
) -> dict[str, tuple[Any, bool]]:
    """The values of the stack's file in plain, and whether each is secret."""
    file = _stack_file(project, stack)
    if file is None:
        return {}
    document = _read_yaml(file)
    config = _mapping(document, "config", file.name)
    whole_keys = {_with_namespace(key, project): value for key, value in config.items()}
    document = {**document, "config": whole_keys}
    if cloud_config.is_needed(document):
        return cloud_config.read(project.name, stack, file, document)
    decrypt = passphrase_decrypter(passphrase, document.get("encryptionsalt"), file.name)
    return {key: decrypt_value(value, decrypt) for key, value in whole_keys.items()}


def _stack_file(project: Project, stack: str) -> Path | None:
    folder = project.root / project.stack_config_dir
    files = (folder / f"Pulumi.{stack}.{suffix}" for suffix in ("yaml", "yml"))
    return next(filter(Path.is_file, files), None)


def _defaults(project: Project) -> dict[str, Any]:
    """Values of the `config:` block; a declaration (`type`, `default`) counts by its default."""
    defaults = {}
    for key, entry in project.config.items():
        declared = (
            isinstance(entry, dict)
            and {"type", "default", "value", "description", "secret"} & entry.keys()
        )
        value = entry.get("value", entry.get("default")) if declared else entry
        if value is not None:
            defaults[key] = value
    return defaults


def _require_declared(project: Project, stack: str, values: Mapping[str, str]) -> None:
    for key, entry in project.config.items():
        full = _with_namespace(key, project)
        if isinstance(entry, dict) and "type" in entry and full not in values:
            raise ProjectError(
                f"stack {stack!r} has no value for the configuration key {full!r}, which "
                f"{project.file} declares",
                fix=f"add it to Pulumi.{stack}.yaml or to the Application's parameter `config`",
            )


def _runtime(value: Any, file: str) -> tuple[str, Mapping[str, Any]]:
    if isinstance(value, str) and value:
        return value, {}
    if isinstance(value, dict) and isinstance(value.get("name"), str):
        return value["name"], _mapping(value, "options", file)
    raise ProjectError(f"{file} has no runtime", fix="add `runtime: python` or another one")


def _read_yaml(path: Path) -> dict[str, Any]:
    try:
        document = documents.parse(path.read_bytes())
    except ValueError as error:
        raise ProjectError(f"{path.name} is not YAML", details=str(error)) from error
    if document is None:
        return {}
    if not isinstance(document, dict):
        raise ProjectError(f"{path.name} is not a YAML mapping")
    return document


def _mapping(document: Mapping[str, Any], key: str, file: str) -> Mapping[str, Any]:
    value = document.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ProjectError(f"`{key}` of {file} is not a mapping")
    return value


def _text(document: Mapping[str, Any], key: str, file: str) -> str:
    value = document.get(key, "")
    if not isinstance(value, str):
        raise ProjectError(f"`{key}` of {file} is not a string")
    return value


def _with_namespace(key: str, project: Project) -> str:
    return key if ":" in key else f"{project.name}:{key}"


def _structure(value: str) -> Any:
    """A structured value, which reaches programs as one JSON text; nothing for other texts."""
    try:
        return json.loads(value)
    except ValueError:
        return None
