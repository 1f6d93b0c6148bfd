"""The arguments of the provider's resources: what is given, of the right type, and the defaults."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

Arguments = Mapping[str, Any]
"""Plain values by name, with the defaults in place of what is not given."""

KEEPERS: Final = "keepers"
"""The argument that every resource has: whatever is to force a new value when it changes."""

_INTEGER: Final = re.compile(r"-?\d{1,16}")
_BOOLEANS: Final = {"false": False, "true": True}


class ArgumentError(Exception):
    """An argument that the provider would not take; `says` is the rest of a sentence."""

    def __init__(self, says: str, fix: str) -> None:
        super().__init__(says)
        self.says = says
        self.fix = fix


Type = Literal["boolean", "integer", "string", "strings"]


@dataclass(frozen=True)
class Argument:
    """One argument of a resource."""

    type: Type
    default: Any = None
    """None where there is nothing in place of a value."""
    required: bool = False
    least: int | None = None
    most: int | None = None
    same_as: str = ""
    """The argument of which it is another name."""


def read(given: Mapping[str, Any], known: Mapping[str, Argument]) -> Arguments:
    """The arguments, without keepers. Raises ArgumentError.

    A number or boolean may be given as a string, and the reverse, as to the provider.
    """
    for name, value in given.items():
        if name not in known and name != KEEPERS and value is not None:
            raise ArgumentError(f"has the argument {name}, which is not known here", "leave it out")
    named = {**given}
    for name, argument in known.items():
        if argument.same_as:
            _name_alike(named, name, argument.same_as)
    return {name: _value(name, named.get(name), argument) for name, argument in known.items()}


def keepers(given: Mapping[str, Any]) -> dict[str, str]:
    """The keepers, without those that have no value. Raises ArgumentError."""
    found = given.get(KEEPERS) or {}
    if not isinstance(found, Mapping):
        raise ArgumentError(f"has {KEEPERS} that are not a map", "give a map of strings")
    return {key: _text(KEEPERS, value) for key, value in found.items() if value is not None}


def _name_alike(named: dict[str, Any], name: str, other: str) -> None:
    given = [value for value in (named.get(name), named.get(other)) if value is not None]
    if len(given) > 1 and given[0] != given[1]:
        raise ArgumentError(f"has a {name} that is not its {other}", f"leave {name} out")
    named |= {key: given[0] for key in (name, other) if given}


def _value(name: str, value: Any, argument: Argument) -> Any:
    if value is None:
        if argument.required:
            raise ArgumentError(f"has no {name}", f"give it a {name}")
        return argument.default
    if argument.type == "strings":
        if not isinstance(value, list):
            raise ArgumentError(f"has {name} that are not a list", "give a list of strings")
        return [_text(name, item) for item in value]
    if argument.type == "string":
        return _text(name, value)
    if argument.type == "boolean":
        found = _BOOLEANS.get(value, value) if isinstance(value, str) else value
        if not isinstance(found, bool):
            raise ArgumentError(f"has a {name} that is not a boolean", "give true or false")
        return found
    return _integer(name, value, argument)


def _integer(name: str, value: Any, argument: Argument) -> int:
    found = int(value) if isinstance(value, str) and _INTEGER.fullmatch(value) else value
    if not isinstance(found, int) or isinstance(found, bool):
        raise ArgumentError(f"has a {name} that is not a whole number", "give a whole number")
    if argument.least is not None and found < argument.least:
        raise ArgumentError(f"has the {name} {found}", f"give at least {argument.least}")
    if argument.most is not None and found > argument.most:
        raise ArgumentError(f"has the {name} {found}", f"give at most {argument.most}")
    return found


def _text(name: str, value: Any) -> str:
    if isinstance(value, Mapping | list) or value is None:
        raise ArgumentError(f"has in {name} a value that is not a string", "give strings")
    return value if isinstance(value, str) else json.dumps(value)
