"""Protobuf's `Struct` to and from wire form.

Source: pulumi/pulumi `sdk/go/common/resource/plugin/rpc.go`.
"""

from collections.abc import Mapping
from typing import Final

from google.protobuf import struct_pb2

from ..errors import MonitorError
from . import doubles
from .wire import SIGNATURE, Json, uncarried_in

MOST_LEVELS: Final = 250
"""Of mappings and lists within each other. Definitions of custom resources have up to fifty."""


class UncarriedError(MonitorError):
    """A value that reaches no object; `says` is the rest of a sentence about what has it."""

    def __init__(self, says: str, fix: str, *path: str) -> None:
        super().__init__("INVALID_ARGUMENT", f"it {says}")
        self.says = says
        self.fix = fix
        self.path = path


def from_struct(struct: struct_pb2.Struct, levels: int = MOST_LEVELS) -> dict[str, Json]:
    """The fields of `struct` as plain data. Raises UncarriedError."""
    fields = struct.fields  # by key: the map's `items` is a slow, general one
    key, data = "", {}
    try:
        for key in fields:
            data[key] = from_value(fields[key], levels)
    except UncarriedError as error:
        # The mark of a secret, or the envelope of an output, is no part of the program's value.
        at = () if SIGNATURE in fields else (key,)
        raise UncarriedError(error.says, error.fix, *at, *error.path) from None
    if SIGNATURE in data and (what := uncarried_in(data)):
        raise UncarriedError(f"has {what}", "make it a string, a number, a list or a map")
    return data


def from_value(value: struct_pb2.Value, levels: int = MOST_LEVELS) -> Json:
    """One `Value` as plain data, with mappings and lists in `levels` levels.

    Raises UncarriedError.
    """
    match value.WhichOneof("kind"):
        case "string_value":
            return value.string_value
        case "struct_value":
            return from_struct(value.struct_value, _below(levels))
        case "list_value":
            below = _below(levels)
            return [from_value(item, below) for item in value.list_value.values]
        case "bool_value":
            return value.bool_value
        case "number_value":
            return doubles.meant(value.number_value)
        case _:
            return None


def _below(levels: int) -> int:
    if levels <= 1:
        raise too_deep()
    return levels - 1


def too_deep() -> UncarriedError:
    """The error of a value that is nested too deeply."""
    return UncarriedError(
        f"is nested in more than {MOST_LEVELS} levels",
        "make it flatter; objects of Kubernetes are nested in some fifty levels at most",
    )


def into_struct(data: Mapping[str, Json], struct: struct_pb2.Struct) -> None:
    """Write plain data into `struct`, over what is there."""
    for key, value in data.items():
        _into_value(value, struct.fields[key])


def _into_value(data: Json, value: struct_pb2.Value) -> None:
    if data is None:
        value.null_value = struct_pb2.NULL_VALUE
    elif isinstance(data, str):
        value.string_value = data
    elif isinstance(data, bool):
        value.bool_value = data
    elif isinstance(data, (int, float)):
        value.number_value = data
    elif isinstance(data, Mapping):
        value.struct_value.SetInParent()
        into_struct(data, value.struct_value)
    else:
        value.list_value.SetInParent()
        for item in data:
            _into_value(item, value.list_value.values.add())
