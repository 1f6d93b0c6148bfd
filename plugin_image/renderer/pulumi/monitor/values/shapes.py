"""Marked placeholders for what only a cluster can know.

A program may look at a load balancer's address or an object's uid. There is no cluster,
yet the program must take the same path as in a deployment, so it gets a value of the right
shape that carries a mark: a string holds a token, a number is one of its own that nobody writes.
Should a mark that was handed out reach a manifest, the render is refused with the property it
stands for. Booleans cannot be marked and stay unset.

The shapes come from the Kubernetes provider's schema (`shapes.json`, written by
`python -m tests.render.schema_tables`).
"""

import base64
import hashlib
import json
import math
import re
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeAlias, cast

TABLE = Path(__file__).with_name("shapes.json")
# Read when the module is loaded: that is done once for all renders that are forked.
_SHAPES: Mapping[str, Any] = json.loads(TABLE.read_text())

_TOKEN = re.compile(r"pulumi-unknown-(\d{1,9})-(\d{1,9})-", re.IGNORECASE)
_SMALLEST_NUMBER = 2**52
"""Numbers begin here, and are half as many: all have sixteen digits, and are exact as doubles."""
_NUMBER = re.compile(r"-(\d)\.?(\d{15})(?!\d)")
"""Also as Go prints a double, `-4.712388980384689e+15`."""
_SMALLEST_OF_32_BITS = -(2**31)
_CUT = re.compile(rf"(?<!\d){_SMALLEST_OF_32_BITS}(?!\d)")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]*")
_MARK = b"pulumi-unknown-"
_DEPTH = 6

Shape: TypeAlias = "str | list[Shape] | dict[str, Shape]"
"""`"s"` string, `"e"` string in base64, `"n"` number, `["a", Shape]` list, `{name: Shape}` object;
`"b"`, `"o"`: unset."""
_MARKED = ("s", "e", "n")

PROVIDER_ID = "id-of-a-provider-which-only-a-deployment-has"
"""Stands for the ID of a provider, which the engine makes up once and the stack's state keeps."""


def may_be_cut(value: str | float | None) -> bool:
    """Whether a value is, or a text holds, what a placeholder becomes as an integer of 32 bits."""
    if isinstance(value, str):
        return _CUT.search(value) is not None
    return value == _SMALLEST_OF_32_BITS


def placeholders(type_: str, resource: int) -> dict[str, Any]:
    """What a cluster would add to an object of this type, marked for the resource of this number.

    The keys are `metadata` and, where the type has them, `spec`, `status` and `data`.
    """
    counter = 0

    def fill(shape: Shape) -> Any:
        nonlocal counter
        if isinstance(shape, dict):
            filled = {key: fill(part) for key, part in shape.items()}
            return {key: value for key, value in filled.items() if value is not None}
        if isinstance(shape, list):
            item = fill(shape[1])
            return None if item is None else [item]
        if shape not in _MARKED:
            return None
        counter += 1
        if shape == "n":
            return _number(resource, counter)
        token = f"pulumi-unknown-{resource}-{counter}-"
        return token if shape == "s" else base64.b64encode(token.encode()).decode()

    return {key: fill(shape) for key, shape in _shape_of(type_).items()}


def describe(type_: str, position: int) -> str:
    """The property path of the placeholder number `position` of a resource of this type."""
    return _positions(type_)[position][0]


class Marks:
    """The placeholders that were handed out; what only looks like one does not count."""

    def __init__(self, types: Mapping[int, str]) -> None:
        """`types` are those of the resources by their number."""
        self._types = types

    def find(self, value: str | float | None) -> tuple[int, int] | None:
        """The (resource, position) of a placeholder in `value`, also inside a longer text.

        Base64 is looked into, where Secret data and the like would hide it.
        """
        if isinstance(value, str):
            # All but base64 hold a dash; numbers and tokens are looked for in few texts.
            return ("-" in value and self._in_text(value)) or self._in_base64(value)
        if isinstance(value, (int, float)) and value <= -_SMALLEST_NUMBER:
            return self._numbers.get(int(value)) if value > -math.inf else None
        return None

    def _in_text(self, text: str) -> tuple[int, int] | None:
        for resource, position in _TOKEN.findall(text):
            mark = int(resource), int(position)
            if mark[0] in self._types and mark[1] in _positions(self._types[mark[0]]):
                return mark
        for digits in _NUMBER.findall(text):
            number = -int("".join(digits))
            if number in self._numbers:
                return self._numbers[number]
        return None

    def _in_base64(self, text: str) -> tuple[int, int] | None:
        """Decode only texts that hold the mark's own letters in one of the three alignments."""
        for fragment, offset in _BASE64_MARKS:
            for found in re.finditer(re.escape(fragment), text) if fragment in text else ():
                if mark := self._in_text(_decoded(text, found.start() - offset)):
                    return mark
        return None

    @cached_property
    def _numbers(self) -> Mapping[int, tuple[int, int]]:
        return {
            _number(resource, position): (resource, position)
            for resource, type_ in self._types.items()
            for position, (_, shape) in _positions(type_).items()
            if shape == "n"
        }


def _decoded(text: str, start: int) -> str:
    """What the base64 that begins at `start` stands for, to its end."""
    tail = _BASE64.match(text, max(start, 0))
    letters = (tail[0] if tail else "").replace("-", "+").replace("_", "/")
    letters = letters[: len(letters) - (len(letters) % 4 == 1)]
    return base64.b64decode(letters + "=" * (-len(letters) % 4)).decode("latin-1")


def _base64_marks() -> Iterator[tuple[str, int]]:
    """The letters that every base64 of the mark contains, by its alignment to 3 bytes."""
    for shift, (skip, offset) in enumerate(((0, 0), (2, 2), (3, 3))):
        encoded = base64.b64encode(b"\0" * shift + _MARK).decode().rstrip("=")
        stable = encoded[skip : len(encoded) - 2]
        yield stable, offset


_BASE64_MARKS = tuple(_base64_marks())


def _number(resource: int, position: int) -> int:
    """Some number or other, the same in every render, and odd: its last digit is never dropped."""
    drawn = hashlib.sha256(f"{resource}.{position}".encode()).digest()[:8]
    return -(_SMALLEST_NUMBER + int.from_bytes(drawn, "big") % (_SMALLEST_NUMBER // 2) | 1)


@cache
def _positions(type_: str) -> Mapping[int, tuple[str, Shape]]:
    """The path and the shape of each placeholder of a type, by its position."""
    return dict(enumerate(_paths(_shape_of(type_), ""), start=1))


def _paths(shape: Shape, at: str) -> Iterator[tuple[str, Shape]]:
    if isinstance(shape, dict):
        for key, part in shape.items():
            yield from _paths(part, f"{at}.{key}" if at else key)
    elif isinstance(shape, list):
        yield from _paths(shape[1], f"{at}[0]")
    elif shape in _MARKED:
        yield at, shape


@cache
def _shape_of(type_: str) -> dict[str, Shape]:
    shape = {**_SHAPES["default"], **_SHAPES["types"].get(type_, {})}
    return cast(dict[str, Shape], _expand(shape, _SHAPES["shapes"], _DEPTH))


def _expand(shape: Shape, shapes: Mapping[str, Shape], depth: int) -> Shape:
    """The shape with named parts put in, cut where a part would contain itself."""
    if isinstance(shape, dict):
        return {key: _expand(part, shapes, depth) for key, part in shape.items()}
    if isinstance(shape, list):
        return ["a", _expand(shape[1], shapes, depth)]
    if shape in shapes:
        return _expand(shapes[shape], shapes, depth - 1) if depth else "o"
    return shape
