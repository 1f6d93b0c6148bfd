"""What Kubernetes reads from a string, a number or a boolean of JSON, where that is a field's type.

The text of a render reaches the API server by way of Argo CD, which turns a whole number that is
written as `1.0` into `1`. Sources: apimachinery `pkg/api/resource/quantity.go`, `suffix.go`,
`pkg/util/intstr/intstr.go`, `pkg/apis/meta/v1/time.go`, `micro_time.go`; gopkg.in/inf.v0
`dec.go`; Go `encoding/json/decode.go`, `encoding/base64/base64.go`, `time/format.go`.
"""

import calendar
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from .nodes import ANYTHING, Node

_QUANTITY: Final = re.compile(
    r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[numkMGTPE]|[KMGTPE]i|[eE][+-]?0*([0-9]{1,19}))?"
)
_NO_DIGITS: Final = re.compile(
    r"[+-]?\.?(?:[numkMGTPE]|[KMGT]i|[eE](?:\+?0*([0-9]{1,19})|-0*[0-9]))?"
)
"""A quantity that is nothing but a sign, a point or a unit is 0, unless the unit is a large one."""
_BLANKS: Final = " \x85\xa0\u1680\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
"""Around a quantity; not those that JSON writes as escapes."""
_SECOND: Final = (
    r"([0-9]{4})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
    r"T(?:[01]?[0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
)
_ZONE: Final = r"(?:Z|[+-](?:[01][0-9]|2[0-4]):(?:[0-5][0-9]|60))"
_TIME: Final = re.compile(rf"{_SECOND}(?:[.,][0-9]+)?{_ZONE}")
_MICRO_TIME: Final = re.compile(rf"{_SECOND}[.,](?:[0-9]{{6}}|\+[0-9]{{5}}|-0{{5}}){_ZONE}")
_BASE64: Final = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
_BYTE: Final = range(256)


class Scalar(Node):
    """One of the types below."""

    def __init__(self, name: str, fits: Callable[[Any], bool]) -> None:
        self.name = name
        self._fits = fits

    def wrong(self, value: Any) -> str:
        """See `Node`."""
        return "" if self._fits(value) else self.name

    def item(self) -> Node:
        """See `Node`: of bytes that are given as a list."""
        return ANYTHING


def is_number(value: Any) -> bool:
    """A number of JSON."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_whole(value: Any) -> bool:
    """An integer, however it is written."""
    return is_number(value) and (isinstance(value, int) or value.is_integer())


def _of_bits(bits: int) -> Callable[[Any], bool]:
    limit = 2 ** (bits - 1)
    return lambda value: is_whole(value) and -limit <= value < limit


def _is_string(value: Any) -> bool:
    return isinstance(value, str)


def _is_base64(value: Any) -> bool:
    if isinstance(value, list):
        return all(item is None or (is_whole(item) and item in _BYTE) for item in value)
    if not isinstance(value, str):
        return False
    return _BASE64.fullmatch(value.replace("\r", "").replace("\n", "")) is not None


def _is_quantity(value: Any) -> bool:
    if not isinstance(value, str):
        return is_number(value)
    text = value.strip(_BLANKS)
    found = _QUANTITY.fullmatch(text) or _NO_DIGITS.fullmatch(text)
    return bool(text) and found is not None and _IS_INT64(int(found[1] or 0))


def _is_of(pattern: re.Pattern[str]) -> Callable[[Any], bool]:
    """Whether it is a time of that pattern, on a day that there is."""

    def fits(value: Any) -> bool:
        found = pattern.fullmatch(value) if isinstance(value, str) else None
        if not found:
            return False
        year, month, day = map(int, found.groups())
        return day <= calendar.monthrange(year, month)[1]

    return fits


_IS_INT32: Final = _of_bits(32)
_IS_INT64: Final = _of_bits(64)
_NEARLY: Final = 2e-9
"""How far a fraction may be from an integer, as a part of it."""


def is_integer(value: Any) -> bool:
    """What a custom resource may have for an integer: also a fraction that is nearly one."""
    if _IS_INT64(value):
        return True
    if not is_number(value) or abs(value) >= 2**53:
        return False
    return bool(abs(value - round(value)) < _NEARLY * abs(value))


BOOLEAN: Final = Scalar("a boolean", lambda value: isinstance(value, bool))
STRING: Final = Scalar("a string", _is_string)
NUMBER: Final = Scalar("a number", is_number)

SCALARS: Final[Mapping[str, Node]] = {
    "*": ANYTHING,
    "b": BOOLEAN,
    "i": Scalar("an integer of 32 bits", _IS_INT32),
    "l": Scalar("an integer", _IS_INT64),
    "n": NUMBER,
    "m": Scalar("a time with microseconds, as 2026-01-31T12:00:00.000000Z,", _is_of(_MICRO_TIME)),
    "q": Scalar("a quantity, as 500m or 2Gi,", _is_quantity),
    "s": STRING,
    "t": Scalar("a time, as 2026-01-31T12:00:00Z,", _is_of(_TIME)),
    "x": Scalar("an integer or a string", lambda value: _is_string(value) or _IS_INT32(value)),
    "y": Scalar("base64", _is_base64),
}
"""By the letters of the tables."""
