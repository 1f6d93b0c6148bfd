"""Marked placeholders for secrets of the configuration that cannot be read.

Such a placeholder is letters and digits alone, so that nothing quotes, escapes or splits it, and
it has a length that no base64 has, so that nothing decodes it. It is found again in longer
strings, in any case, and in base64 and hex, also of each other. What is hashed, encrypted,
compressed or cut apart cannot be found: see `followed` of `Unreadable`.
"""

import base64
import re
from collections.abc import Iterator, Mapping
from typing import Any

_MARK = "pulumiunreadable"
_TOKEN = re.compile(rf"{_MARK}([0-9]{{4}})x", re.IGNORECASE)
_LENGTH = len(_MARK) + 5
_HEX = re.compile(rf"(?:[0-9A-Fa-f]{{2}}){{{_LENGTH},}}")
_BASE64 = re.compile(rf"[A-Za-z0-9+/_-]{{{_LENGTH * 4 // 3},}}")
_URL_SAFE = str.maketrans("-_", "+/")
_FIELDS = ("_pulumi_input_type", "__dataclass_fields__")
"""What classes have whose objects are values: the SDK's arguments, and dataclasses."""
_NESTED = 3
"""Base64 in JSON in base64 is what the credentials of a registry are."""


def placeholder(number: int) -> str:
    """The placeholder of that number, of which there are 10,000."""
    return f"{_MARK}{number:04}x"


def find(text: str) -> int | None:
    """The number of a placeholder in `text`, however it is encoded there."""
    return next(_numbers(text, _NESTED), None)


def find_in(value: Any) -> int | None:
    """The number of a placeholder in a plain value: in keys, in bytes, in fields of objects."""
    return next(_numbers_in(value, set()), None)


def replace(text: str, names: Mapping[int, str]) -> str:
    """`text` with each placeholder that is written out in it replaced by a name."""
    return _TOKEN.sub(lambda found: names.get(int(found[1]), found[0]), text)


def _numbers(text: str, levels: int) -> Iterator[int]:
    yield from map(int, _TOKEN.findall(text))
    if levels and len(text) >= _LENGTH:
        for inner in _decoded("".join(text.split())):
            yield from _numbers(inner, levels - 1)


def _decoded(text: str) -> Iterator[str]:
    """What may stand in a text without blanks as hex, or as base64 that begins anywhere."""
    for run in _HEX.findall(text):
        yield bytes.fromhex(run).decode("latin-1")
    for run in _BASE64.findall(text):
        letters = run.translate(_URL_SAFE)
        for offset in range(4):
            aligned = letters[offset:]
            aligned = aligned[: len(aligned) - (len(aligned) % 4 == 1)]
            padding = "=" * (-len(aligned) % 4)
            yield base64.b64decode(aligned + padding).decode("latin-1")


def _numbers_in(value: Any, seen: set[int]) -> Iterator[int]:
    if isinstance(value, str):
        yield from _numbers(value, _NESTED)
    elif isinstance(value, (bytes, bytearray)):
        yield from _numbers(value.decode("latin-1"), _NESTED)
    elif id(value) not in seen:
        seen.add(id(value))
        for part in _parts(value):
            yield from _numbers_in(part, seen)


def _parts(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        yield from value
        yield from value.values()
    elif isinstance(value, (list, tuple, set, frozenset)):
        yield from value
    elif any(hasattr(type(value), mark) for mark in _FIELDS):
        yield from vars(value).values()
