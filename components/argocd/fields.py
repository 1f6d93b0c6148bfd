"""What is given in Argo CD's own terms, compared with the fields that Argo CD has.

The API server would drop an unknown field without a word.
A field may be spelt as in a manifest (`maxDuration`), and as Python spells it (`max_duration`).
"""

import difflib
import re
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias

import yaml

from ..shared import validation
from ..shared.errors import InvalidInputError

Shape: TypeAlias = str | list["Shape"] | dict[str, "Shape"]
"""The name of a scalar type; a list with the shape of its items; or the shapes of fields by name.

The name of a required field ends in `!`; that of `ANY_NAME` stands for any.
"""

ANY_NAME: Final = "*"
FILE: Final = Path(__file__).with_name("fields.yaml")

_SCALARS: Final[dict[str, tuple[tuple[type, ...], str]]] = {
    "string": ((str,), "a string"),
    "integer": ((int,), "a whole number"),
    "boolean": ((bool,), "true or false"),
    "int-or-string": ((int, str), "a whole number or a string"),
}
_NANOSECONDS: Final = {
    "ns": 1,
    "us": 10**3,
    "\u00b5s": 10**3,
    "\u03bcs": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
}
_AMOUNT: Final = re.compile(rf"([0-9]+\.?[0-9]*|\.[0-9]+)({'|'.join(_NANOSECONDS)})(?![a-z])")
_DURATION: Final = re.compile(rf"([+-]?)(0|(?:{_AMOUNT.pattern})+)")
_NANOSECONDS_MAX: Final = 2**63 - 1


def check(argument: str, value: object, path: str) -> Any:
    """Refuse fields that Argo CD does not have at `path`, and values that it could not read.

    Returns the value as in a manifest, without fields that are null, and with whole numbers as
    such: numbers from other languages are floats.
    """
    return _checked(argument, value, _shapes()[path])


def objects(path: str, *names: str) -> list[str]:
    """Return those fields, at `path` and then at `names`, that have fields of their own."""
    shape = _shapes()[path]
    for name in names:
        shape = _item(shape)[name]
    return [
        name for name, of in _item(shape).items() if isinstance(of, dict) and ANY_NAME not in of
    ]


def duration(field: str, value: object) -> str:
    """Refuse what Go does not read as a duration; it knows no days.

    Source: Go's `time.ParseDuration`.
    """
    nanoseconds(field, value)
    return str(value)


def nanoseconds(field: str, value: object) -> int:
    """Return the length of a duration, which may be negative; refuse what Go does not read."""
    text = validation.text(field, value)
    match = _DURATION.fullmatch(text)
    amounts = _AMOUNT.findall(match[2]) if match else ()
    length = sum(int(Fraction(f"0{number}0") * _NANOSECONDS[unit]) for number, unit in amounts)
    if not match or length > _NANOSECONDS_MAX:
        problem = f"is {text!r}, which Argo CD cannot read as a duration"
        raise InvalidInputError(field, problem, "write for example 30s, 5m or 36h")
    return -length if match[1] == "-" else length


@cache
def _shapes() -> dict[str, Shape]:
    shapes: dict[str, Shape] = yaml.safe_load(FILE.read_text())
    return shapes


def _item(shape: Shape) -> dict[str, Shape]:
    fields = shape[0] if isinstance(shape, list) else shape
    if not isinstance(fields, dict):
        raise TypeError(f"{fields} has no fields")
    return fields


def _checked(where: str, value: object, shape: Shape) -> Any:
    if isinstance(shape, dict):
        return _fields(where, value, shape)
    if isinstance(shape, list):
        if not isinstance(value, list | tuple):
            problem = f"must be a list, found {type(value).__name__}"
            raise InvalidInputError(where, problem, "write one list item for each")
        return [_checked(f"{where}[{i}]", item, shape[0]) for i, item in enumerate(value)]
    return value if shape == "any" else _scalar(where, value, shape)


def _fields(where: str, value: object, shape: dict[str, Shape]) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        problem = f"must be an object, found {type(value).__name__}"
        raise InvalidInputError(where, problem, f"write {_names(shape)}")
    if ANY_NAME in shape:
        return {
            name: _checked(f"{where}.{name}", item, shape[ANY_NAME]) for name, item in value.items()
        }
    known = {name.removesuffix("!"): of for name, of in shape.items()}
    spelt = {spelling: name for name in known for spelling in (name, _snake_case(name))}
    found: dict[str, Any] = {}
    for key, item in value.items():
        if key not in spelt:
            close = difflib.get_close_matches(str(key), known, n=1)
            fix = f"did you mean {close[0]}" if close else f"use {_names(shape)}"
            raise InvalidInputError(f"{where}.{key}", "is not a field that can be set there", fix)
        name = spelt[key]
        if name in found:
            raise InvalidInputError(f"{where}.{name}", "is given in two spellings", "keep one")
        if item is not None:
            found[name] = _checked(f"{where}.{key}", item, known[name])
    for name in known:
        if f"{name}!" in shape and name not in found:
            raise InvalidInputError(f"{where}.{name}", "is missing", "set it")
    return found


def _snake_case(name: str) -> str:
    """Return `max_duration` of `maxDuration`, and `repo_url` of `repoURL`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def _names(shape: dict[str, Shape]) -> str:
    return ", ".join(name.removesuffix("!") for name in shape if name != ANY_NAME) or "name: value"


def _scalar(where: str, value: object, shape: str) -> object:
    types, wanted = _SCALARS[shape]
    number = int(value) if isinstance(value, float) and value.is_integer() else value
    if not isinstance(number, types) or (isinstance(number, bool) and bool not in types):
        problem = f"must be {wanted}, found {value!r}"
        fix = "quote it" if types == (str,) else "do not quote it"
        raise InvalidInputError(where, problem, fix)
    return number
