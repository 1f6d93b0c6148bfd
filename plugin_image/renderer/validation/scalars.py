"""What Kubernetes reads from a string, a number or a boolean of JSON, where that is a field's type.

The text of a render reaches the API server by way of Argo CD, which turns a whole number that is
written as `1.0` into `1`. Sources: apimachinery `pkg/api/resource/quantity.go`,
`pkg/util/intstr/intstr.go`, `pkg/apis/meta/v1/time.go`; Go `encoding/json/decode.go`.
"""

import base64
import binascii
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from .nodes import ANYTHING, Node

_QUANTITY: Final = re.compile(r"[+-]?[0-9]*(?:\.[0-9]*)?(?:[numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]+)?")
_TIME: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?"
    r"(?:Z|[+-][0-9]{2}:[0-9]{2})"
)


class Scalar(Node):
    """One of the types below."""

    def __init__(self, name: str, fits: Callable[[Any], bool]) -> None:
        self._name = name
        self._fits = fits

    def wrong(self, value: Any) -> str:
        """See `Node`."""
        return "" if self._fits(value) else self._name

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
        return all(item is None or is_whole(item) for item in value)
    if not isinstance(value, str):
        return False
    try:
        base64.b64decode(value.replace("\r", "").replace("\n", ""), validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


def _is_quantity(value: Any) -> bool:
    if isinstance(value, str):
        text = value.strip(" ")
        return bool(text) and _QUANTITY.fullmatch(text) is not None
    return is_number(value)


def _is_time(value: Any) -> bool:
    return isinstance(value, str) and _TIME.fullmatch(value) is not None


_IS_INT32: Final = _of_bits(32)

BOOLEAN: Final = Scalar("a boolean", lambda value: isinstance(value, bool))
STRING: Final = Scalar("a string", _is_string)
NUMBER: Final = Scalar("a number", is_number)

SCALARS: Final[Mapping[str, Node]] = {
    "*": ANYTHING,
    "b": BOOLEAN,
    "i": Scalar("an integer of 32 bits", _IS_INT32),
    "l": Scalar("an integer", _of_bits(64)),
    "n": NUMBER,
    "q": Scalar("a quantity, as 500m or 2Gi,", _is_quantity),
    "s": STRING,
    "t": Scalar("a time, as 2026-01-31T12:00:00Z,", _is_time),
    "x": Scalar("an integer or a string", lambda value: _is_string(value) or _IS_INT32(value)),
    "y": Scalar("base64", _is_base64),
}
"""By the letters of the tables."""
