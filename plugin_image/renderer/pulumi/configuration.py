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
from ..errors import ProjectError, UnreadableError, UsageError
from ..request import Request
from . import cloud_config, config_keys, marked_secrets
from .declarations import Type
from .decryption import PassphraseDecrypter, decrypted, passphrase_in, withheld
from .monitor.run_context import Unreadable
from .monitor.values import unreadable as placeholders
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
_PROVIDER = "kubernetes:"
_FOLLOWED_SETTINGS = frozenset(
    f"kubernetes:{key}" for key in ("cluster", "clusterIdentifier", "context", "kubeconfig")
) | {"kubernetes:namespace"}
"""Where a placeholder is noticed: in the objects, and in what tells clusters apart."""
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
    unreadable: Unreadable | None = None
    """The secrets for which there are placeholders."""

    def secrets(self) -> list[str]:
        """Every secret string that is known: whole, and each of a structure that it spells."""
        found: list[str] = []
        for key in self.secret_keys:
            for secret in _secrets_in(self.typed[key]):
                if not self.unreadable or placeholders.find(secret) is None:
                    found.append(secret)
                    found.extend(marked_secrets.texts_in(_structure(secret)))
        return found


def load_configuration(
    request: Request,
    project: Project,
    stack: Stack,
    overrides: Mapping[str, str],
    *,
    withhold: bool = False,
) -> Configuration:
    """The stack's configuration: what the project says, then the stack's file, then `overrides`.

    With `withhold`, secrets that take a key that the plugin lacks are placeholders; without it,
    they are an UnreadableError, as an environment of Pulumi ESC always is. Raises ProjectError for
    a file that cannot be used or decrypted, and for values that are not as the project declares
    them; UsageError for a wrong key in `overrides`.
    """
    values = {
        key: _Value(declared.value, project.file)
        for key, declared in project.declared.items()
        if declared.value is not None
    }
    of_stack, naming_key, unreadable = _of_stack(request, project, stack, withhold)
    values |= of_stack
    given = config_keys.whole(overrides, project.name, _OPTION, UsageError)
    values |= {key: _Value(text, _OPTION) for key, text in given.items()}
    if unreadable:
        _refuse_unseen(values, unreadable)
    _require_declared(project, stack, values)
    return Configuration(
        {key: value.text for key, value in values.items()},
        {key: value.typed for key, value in values.items()},
        frozenset(key for key, value in values.items() if value.secret),
        naming_key,
        unreadable,
    )


def _of_stack(
    request: Request, project: Project, stack: Stack, withhold: bool
) -> tuple[dict[str, _Value], bytes, Unreadable | None]:
    """The values of the stack's file, none where it has none; the naming key; what is withheld."""
    file = stack_file(project, stack)
    if file is None:
        return {}, b"", None
    document = read_document(file, project.repository)
    written = config_keys.whole(
        mapping(document, "config", file.name), project.name, file.name, ProjectError
    )
    document = {**document, "config": written}
    passphrase = passphrase_in(request.env)
    decrypt = PassphraseDecrypter(passphrase, document.get("encryptionsalt"), file.name)
    by_cli = cloud_config.is_needed(document)
    unreadable = None
    try:
        if by_cli:
            found = cloud_config.read(request, project.name, stack, file, document)
        else:
            found = {key: decrypted(value, decrypt) for key, value in written.items()}
    except UnreadableError as error:
        # An environment may have any key, so nobody could say which ones are missing.
        if not withhold or document.get("environment"):
            raise
        found, places = withheld(written)
        unreadable = Unreadable(keys=places, why=error.summary, fix=error.fix, names=not by_cli)
    values = {key: _Value(data, file.name) for key, data in found.items()}
    return values, decrypt.derived(_NAMING), unreadable


def _refuse_unseen(values: Mapping[str, _Value], unreadable: Unreadable) -> None:
    """Raise UnreadableError for a setting of the provider that says how objects are made."""
    for key, value in sorted(values.items()):
        is_setting = key.startswith(_PROVIDER) and key not in _FOLLOWED_SETTINGS
        if is_setting and (number := placeholders.find(value.text)) is not None:
            raise UnreadableError(
                f"{unreadable.told(number)} cannot be read: {unreadable.why}", fix=unreadable.fix
            )


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
                f"the configuration key {key!r} of {value.source} is in plain text, and "
                f"{project.file} declares it as secret",
                fix=f"encrypt it in {file} by `pulumi config set --secret`",
            )
        known = placeholders.find_in(wire.plain(value.data)) is None
        if declared.type and known and not declared.type.accepts(_content(value, declared.type)):
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
