"""A stack's configuration, as the Pulumi CLI makes it from Pulumi.yaml and the stack's file.

Source: pulumi/pulumi `pkg/workspace/config.go` and `sdk/go/common/resource/config/` (key.go,
map.go, object.go).
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .. import documents
from ..errors import ProjectError, UsageError
from ..request import Request
from . import cloud_config, config_keys, marked_secrets
from .declarations import Type
from .decryption import PassphraseDecrypter, decrypted, passphrase_in
from .monitor.values import wire
from .project import (
    Project,
    Stack,
    mapping,
    read_document,
    stack_file,
)

_OPTION = "the Application's parameter `config`"
_NAMING = "names of objects that hold secrets"
_INTEGER = re.compile(r"[+-]?(?:0|[1-9][0-9]*)")
_SMALLEST_DECIMAL, _LARGEST_DECIMAL = 1e-6, 1e21
"""Between them, Go's JSON has no exponents."""
_SMALLEST, _LARGEST = -(2**63), 2**64 - 1


@dataclass(frozen=True)
class _Value:
    """A value in wire form: its secret parts are marked."""

    data: Any
    source: str
    """Where it is from, for messages."""

    @property
    def secret(self) -> bool:
        """Whether any part of it is."""
        return next(_secrets_in(self.data), None) is not None

    @property
    def text(self) -> str:
        """As programs receive it."""
        plain = wire.plain(self.data)
        if plain is None:
            return ""
        if isinstance(plain, float):
            return _as_go_writes(plain)
        return plain if isinstance(plain, str) else documents.to_json(plain)

    @property
    def typed(self) -> Any:
        """As YAML programs receive it: a string that spells a boolean or an integer is one."""
        if isinstance(self.data, (dict, list)):
            return self.data
        return _spelled(self.text)


@dataclass(frozen=True)
class Configuration:
    """A stack's configuration as programs receive it: strings, keys with a namespace."""

    values: Mapping[str, str]
    typed: Mapping[str, Any]
    """The same in wire form; YAML programs heed types."""
    secret_keys: frozenset[str]
    naming_key: bytes = b""
    """Hashes secrets in names. Known only to those with the stack's passphrase; else empty."""

    def secrets(self) -> list[str]:
        """Every secret string: whole, and each string of a structure that it spells."""
        found: list[str] = []
        for key in self.secret_keys:
            for secret in _secrets_in(self.typed[key]):
                found.append(secret)
                found.extend(marked_secrets.texts_in(_structure(secret)))
        return found


def load_configuration(
    request: Request, project: Project, stack: Stack, overrides: Mapping[str, str]
) -> Configuration:
    """The stack's configuration: what the project says, then the stack's file, then `overrides`.

    Raises ProjectError for a file that cannot be used or decrypted, and for values that are not
    as the project declares them; UsageError for a wrong key in `overrides`.
    """
    values = {
        key: _Value(declared.value, project.file)
        for key, declared in project.declared.items()
        if declared.value is not None
    }
    of_stack, naming_key = _of_stack(request, project, stack)
    values |= of_stack
    given = config_keys.whole(overrides, project.name, _OPTION, UsageError)
    values |= {key: _Value(text, _OPTION) for key, text in given.items()}
    _require_declared(project, stack, values)
    return Configuration(
        {key: value.text for key, value in values.items()},
        {key: value.typed for key, value in values.items()},
        frozenset(key for key, value in values.items() if value.secret),
        naming_key,
    )


def _of_stack(request: Request, project: Project, stack: Stack) -> tuple[dict[str, _Value], bytes]:
    """The values of the stack's file, none where it has none, and the naming key."""
    file = stack_file(project, stack)
    if file is None:
        return {}, b""
    document = read_document(file, project.repository)
    written = config_keys.whole(
        mapping(document, "config", file.name), project.name, file.name, ProjectError
    )
    document = {**document, "config": written}
    passphrase = passphrase_in(request.env)
    decrypt = PassphraseDecrypter(passphrase, document.get("encryptionsalt"), file.name)
    if cloud_config.is_needed(document):
        found = cloud_config.read(request, project.name, stack, file, document)
    else:
        found = {key: decrypted(value, decrypt) for key, value in written.items()}
    values = {key: _Value(data, file.name) for key, data in found.items()}
    return values, decrypt.derived(_NAMING)


def _require_declared(project: Project, stack: Stack, values: Mapping[str, _Value]) -> None:
    """Raise ProjectError for values that are not as the project declares them."""
    file = f"Pulumi.{stack.name}.yaml"
    for key, declared in sorted(project.declared.items()):
        if key not in values:
            raise ProjectError(
                f"stack {stack.name!r} has no value for the configuration key {key!r}, which "
                f"{project.file} declares",
                fix=f"add it to {file} or to the Application's parameter `config`",
            )
        value = values[key]
        if declared.secret and not value.secret:
            raise ProjectError(
                f"the configuration key {key!r} of {value.source} is in plain, and {project.file} "
                "declares it as secret",
                fix=f"encrypt it in {file} by `pulumi config set --secret`",
            )
        if declared.type and not declared.type.accepts(_content(value, declared.type)):
            raise ProjectError(
                f"the configuration key {key!r} of {value.source} is not of the type "
                f"{declared.type}, which {project.file} declares",
                fix="correct one of the two",
            )


def _content(value: _Value, type_: Type) -> Any:
    """What a declared type is about: a string, or the structure that is written or spelled."""
    plain = wire.plain(value.data)
    if isinstance(plain, (dict, list)):
        return plain
    is_structure = type_.name in ("array", "object")
    return _structure(value.text) if is_structure and value.source == _OPTION else value.text


def _secrets_in(data: Any) -> Iterator[str]:
    """The strings that are marked as secret."""
    if wire.is_secret(data):
        plain = wire.plain(data)
        yield plain if isinstance(plain, str) else documents.to_json(plain)
    elif isinstance(data, (dict, list)):
        for part in data.values() if isinstance(data, dict) else data:
            yield from _secrets_in(part)


def _spelled(text: str) -> Any:
    """The boolean or integer that a string spells, or the string."""
    if text in ("true", "false"):
        return text == "true"
    if _INTEGER.fullmatch(text) and _SMALLEST <= int(text) <= _LARGEST:
        return int(text)
    return text


def _as_go_writes(number: float) -> str:
    text = repr(number)
    if _SMALLEST_DECIMAL <= abs(number) < _LARGEST_DECIMAL:
        # Imported here: it takes a moment, and next to no configuration has such a number.
        from decimal import Decimal

        return format(Decimal(text), "f")
    return text.replace("e-0", "e-")


def _structure(value: str) -> Any:
    """A structured value, which reaches programs as one JSON string; None for other strings."""
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None
