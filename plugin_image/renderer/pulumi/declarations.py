"""What `config` of Pulumi.yaml declares: keys with their types, defaults and secrets.

Source: pulumi/pulumi `sdk/go/common/workspace/project.go` and its schema, `project.json`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import ProjectError

_TYPES = ("string", "integer", "boolean", "array", "object")
_FIELDS = {"type", "items", "description", "secret", "default", "value"}
_INTEGER = re.compile(r"[+-]?[0-9]+")
_LARGEST = 2**63 - 1
_PATH = re.compile(r"[.\[\]\"]")
"""What makes a declared key a path into the value of another one."""


@dataclass(frozen=True)
class Type:
    """A type of configuration values; `items` is that of an array's items."""

    name: str
    items: "Type | None" = None

    def accepts(self, value: Any) -> bool:
        """Whether `value` is of this type; numbers and booleans may be strings that spell them."""
        if self.name == "string":
            return isinstance(value, str)
        if self.name == "integer":
            return _is_integer(value)
        if self.name == "boolean":
            return isinstance(value, bool) or value in ("true", "false")
        if self.name == "object":
            return isinstance(value, dict)
        items = self.items
        return isinstance(value, list) and items is not None and all(map(items.accepts, value))

    def __str__(self) -> str:
        return f"array of {self.items}" if self.items else self.name


@dataclass(frozen=True)
class Declaration:
    """One declared key."""

    type: Type | None
    secret: bool
    value: Any
    """Its value where a stack gives none; None where each stack has to give one."""


def read(key: str, entry: Any, *, of_project: bool, file: str) -> Declaration:
    """The declaration of `key`, whose value may be written in its place.

    `of_project` says that the key is the project's own; others have a value and no type.
    Raises ProjectError, naming `file`, for what the Pulumi CLI refuses, and for a key that is
    a path into another one's value.
    """
    where = f"`config.{key}` of {file}"
    if _PATH.search(key):
        raise ProjectError(
            f"{where} is a path into another key's value", fix="declare that key, as an object"
        )
    if isinstance(entry, (str, int, list)):
        return Declaration(None, secret=False, value=entry)
    if not isinstance(entry, dict):
        raise ProjectError(
            f"{where} is not a string, an integer, a boolean, a list or a declaration",
            fix="write it as a declaration with a `default`",
        )
    _require_fields(where, entry)
    if not of_project and entry.keys() - {"value", "description", "secret"}:
        raise ProjectError(
            f"{where} is not the project's own, and has more than a value", fix="give its `value`"
        )
    type_ = _type(where, entry)
    default, value = entry.get("default"), entry.get("value")
    if default is not None and value is not None:
        raise ProjectError(f"{where} has both `default` and `value`", fix="keep one of them")
    if type_ and default is not None and not type_.accepts(default):
        raise ProjectError(f"the default of {where} is not of the type {type_}", fix="correct it")
    return Declaration(type_, entry.get("secret", False), value if default is None else default)


def _require_fields(where: str, entry: Mapping[str, Any]) -> None:
    unknown = next((field for field in entry if field not in _FIELDS), None)
    if unknown is not None:
        raise ProjectError(
            f"{where} has the field {unknown!r}, which no declaration has",
            fix="put a structured value below `default`",
        )
    for field, type_ in (("secret", bool), ("description", str)):
        if not isinstance(entry.get(field, type_()), type_):
            raise ProjectError(f"`{field}` of {where} is not a {_NAMES[type_]}", fix="correct it")


_NAMES = {bool: "boolean", str: "string"}


def _type(where: str, entry: Mapping[str, Any]) -> Type | None:
    """The type of a declaration, or of the items of one."""
    name, items = entry.get("type"), entry.get("items")
    if name is None and items is None:
        return None
    if name not in _TYPES:
        raise ProjectError(f"{where} has the type {name!r}", fix=f"use one of {', '.join(_TYPES)}")
    if name != "array":
        return Type(str(name))
    if not isinstance(items, dict):
        raise ProjectError(
            f"{where} is an array and does not say of what", fix="add `items: {type: string}`"
        )
    return Type("array", _type(f"`items` of {where}", {"type": "", **items}))


def _is_integer(value: Any) -> bool:
    if isinstance(value, str):
        return bool(_INTEGER.fullmatch(value)) and -_LARGEST - 1 <= int(value) <= _LARGEST
    if isinstance(value, float):
        return value.is_integer()
    return isinstance(value, int) and not isinstance(value, bool)
