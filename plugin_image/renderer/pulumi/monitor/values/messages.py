"""Messages off the wire, read at any depth that a program may have, and no deeper.

Protobuf's parser recurses. It allows a hundred messages within each other, of which each level
of a value takes three, so that objects nested more than 31 levels do not pass; without that
limit, which the SDKs lift, a few thousand levels overflow the stack and end the process.
Source: protocolbuffers/protobuf `upb/wire/decode.c`, `python/message.c`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from google.protobuf.message import Message

from . import structs

_MOST_MESSAGES: Final = 4 * structs.MOST_LEVELS
"""Within each other. A level of a value takes three: `Value`, `Struct` and the map's entry."""
_LOWER: Final = 0x7F
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


_Message = TypeVar("_Message", bound=Message)


def _lift_limit() -> None:
    """As the Python SDK does (`pulumi/runtime/rpc.py`); Python's own parser has no limit."""
    try:
        from google.protobuf.pyext import cpp_message

        cpp_message._message.SetAllowOversizeProtos(True)
    except (ImportError, AttributeError):
        pass


_lift_limit()


@dataclass(frozen=True)
class TooDeep:
    """A message that is nested too deeply to be read."""

    rest: Message
    """The message without the field that is."""


def parser(message: type[_Message]) -> Callable[[bytes], _Message | TooDeep]:
    """What reads messages of a class: it gives the message, or `TooDeep`.

    It raises protobuf's DecodeError for bytes that are not one.
    """

    def parse(data: bytes) -> _Message | TooDeep:
        # A message in another one takes at least a byte.
        if len(data) > _MOST_MESSAGES:
            deep = _deep_field(data, message.DESCRIPTOR)
            if deep is not None:
                return TooDeep(message.FromString(data[: deep.start] + data[deep.stop :]))
        return message.FromString(data)

    return parse


def _deep_field(data: bytes, descriptor: Any) -> slice | None:
    """The field of a message that is nested too deeply. What is too short for that is skipped."""
    waiting = [(0, len(data), descriptor, 1, slice(0, len(data)))]
    while waiting:
        at, end, descriptor, depth, field = waiting.pop()
        while at < end:
            start = at
            key, at = _varint(data, at)
            length = 0
            if key & 7 == _BYTES:
                length, at = _varint(data, at)
                known = descriptor.fields_by_number.get(key >> 3)
                inner = known.message_type if known else None
                if inner and depth + length > _MOST_MESSAGES:
                    outer = slice(start, at + length) if depth == 1 else field
                    if depth == _MOST_MESSAGES:
                        return outer
                    waiting.append((at, min(at + length, end), inner, depth + 1, outer))
            elif key & 7 == _VARINT:
                _, at = _varint(data, at)
            elif key & 7 == _FIXED64:
                length = 8
            elif key & 7 == _FIXED32:
                length = 4
            else:
                # A group; it may be nested as well, and no message of the protocol has one.
                return field
            at += length
    return None


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number, and where it ends. What is cut off counts as ended: the parser refuses it."""
    number = shift = 0
    while at < len(data):
        byte = data[at]
        at += 1
        number |= (byte & _LOWER) << shift
        if byte <= _LOWER:
            break
        shift += 7
    return number, at
