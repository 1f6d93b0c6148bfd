"""What the kinds that come with Kubernetes take, in each of its versions.

It comes from Kubernetes' OpenAPI documents (`tables/`, written by
`python -m tests.render.kubernetes_schemas`): a table for each group and version of its API, which
is read when an object needs it.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final, TypeAlias

from .nodes import ANYTHING, Node
from .scalars import SCALARS

TABLES: Final = Path(__file__).with_name("tables")

OLDEST: Final = 31
NEWEST: Final = 37
"""The first and the last minor version of Kubernetes 1 that the tables tell of."""

Type: TypeAlias = "str | list[Type] | dict[str, Type]"
"""A letter of `SCALARS`, the name of a type of the same table, `meta.v1/ObjectMeta` of another
one; `[Type]` a list, `{"": Type}` a map; `Type|letter` what drops unknown fields of an object of
the type, and takes a scalar, too."""


class BuiltIn:
    """The kinds of one minor version that the tables tell of."""

    def __init__(self, minor: int) -> None:
        self.minor = minor
        self._places: dict[tuple[str, str], Node] = {}
        self._kinds_of: dict[str, frozenset[str]] = {}

    def kind(self, api_version: str, kind: str) -> Node | None:
        """What objects of a kind are made of; None where this version does not have it."""
        table = _file_of(api_version)
        return self.named(table, kind) if kind in self._kinds(table) else None

    def api_versions(self, kind: str) -> list[str]:
        """The API versions of this version that have a kind of this name."""
        found = (table for table in sorted(_files()) if kind in self._kinds(table))
        return [_api_version_of(table) for table in found]

    def named(self, table: str, name: str) -> Node:
        """A type of a table."""
        if (table, name) not in self._places:
            self._places[table, name] = _Struct(self, table, name)
        return self._places[table, name]

    def place(self, type_: Type, table: str) -> Node:
        """What a type of a table stands for."""
        if isinstance(type_, list):
            return _List(self, table, type_[0])
        if isinstance(type_, dict):
            return _Map(self, table, type_[""])
        if type_ in SCALARS:
            return SCALARS[type_]
        struct, _, other = type_.partition("|")
        if other:
            return _Lenient(self.named(table, struct), SCALARS[other])
        other, _, name = type_.rpartition("/")
        return self.named(other or table, name)

    def fields(self, table: str, name: str) -> Iterator[tuple[str, Type]]:
        """The fields that a type has in this version."""
        for field, type_ in _table(table)["types"][name].items():
            if self._has(table, f"{name}.{field}"):
                yield field, type_

    def _kinds(self, table: str) -> frozenset[str]:
        if table not in self._kinds_of:
            given = _table(table)["kinds"] if table in _files() else ()
            self._kinds_of[table] = frozenset(kind for kind in given if self._has(table, kind))
        return self._kinds_of[table]

    def _has(self, table: str, key: str) -> bool:
        content = _table(table)
        first, last = content["first"].get(key, OLDEST), content["last"].get(key, NEWEST)
        return bool(first <= self.minor <= last)


class _Struct(Node):
    """An object with these fields and no others."""

    is_of_a_version = True

    def __init__(self, version: BuiltIn, table: str, name: str) -> None:
        self._version = version
        self._table = table
        self._name = name

    @cached_property
    def _places(self) -> Mapping[str, Node]:
        fields = self._version.fields(self._table, self._name)
        return {field: self._version.place(type_, self._table) for field, type_ in fields}

    def wrong(self, value: Any) -> str:
        return "" if isinstance(value, dict) else "an object"

    def below(self, key: str) -> Node | None:
        return self._places.get(key)

    def names(self) -> Iterable[str]:
        return self._places


class _Map(Node):
    """An object with any keys."""

    def __init__(self, version: BuiltIn, table: str, of: Type) -> None:
        self._of = version.place(of, table)

    def wrong(self, value: Any) -> str:
        return "" if isinstance(value, dict) else "an object"

    def below(self, _key: str) -> Node:
        return self._of


class _List(Node):
    def __init__(self, version: BuiltIn, table: str, of: Type) -> None:
        self._of = version.place(of, table)

    def wrong(self, value: Any) -> str:
        return "" if isinstance(value, list) else "a list"

    def item(self) -> Node:
        return self._of


class _Lenient(Node):
    """What has a parser of its own, which drops the fields that it does not know, however deep.

    Source: apiextensions-apiserver `pkg/apis/apiextensions/v1/marshal.go`.
    """

    def __init__(self, node: Node, other: Node | None = None) -> None:
        """`other` may stand there in place of an object."""
        self._node = node
        self._other = other
        self.takes_null = node.takes_null

    def wrong(self, value: Any) -> str:
        if self._other is None or isinstance(value, dict):
            return self._node.wrong(value)
        wrong = self._other.wrong(value)
        return wrong and f"an object or {wrong}"

    def below(self, key: str) -> Node:
        found = self._node.below(key)
        return ANYTHING if found is None else _Lenient(found)

    def item(self) -> Node:
        return ANYTHING if self._other else _Lenient(self._node.item())


def _file_of(api_version: str) -> str:
    group, _, version = api_version.rpartition("/")
    return f"{group or 'core'}.{version}"


def _api_version_of(table: str) -> str:
    group, _, version = table.rpartition(".")
    return version if group == "core" else f"{group}/{version}"


@cache
def _files() -> frozenset[str]:
    return frozenset(path.stem for path in TABLES.glob("*.json"))


@cache
def _table(name: str) -> Mapping[str, Any]:
    table: Mapping[str, Any] = json.loads((TABLES / f"{name}.json").read_bytes())
    return table
