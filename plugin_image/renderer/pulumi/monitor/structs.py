"""Protobuf's `Struct` to and from wire form.

Source: pulumi/pulumi `sdk/go/common/resource/plugin/rpc.go`.
"""

from collections.abc import Mapping
from typing import Final

from google.protobuf import struct_pb2

from plugin_image.renderer.pulumi.monitor.wire import Json

_LARGEST_EXACT: Final = 2**53
"""Numbers travel as doubles; whole ones up to here are the integers that were meant."""


def from_struct(struct: struct_pb2.Struct) -> dict[str, Json]:
    """The fields of `struct` as plain data."""
    fields = struct.fields  # by key: the map's `items` is a slow, general one
    return {key: from_value(fields[key]) for key in fields}


def from_value(value: struct_pb2.Value) -> Json:
    """One `Value` as plain data."""
    match value.WhichOneof("kind"):
        case "string_value":
            return value.string_value
        case "struct_value":
            return from_struct(value.struct_value)
        case "list_value":
            return [from_value(item) for item in value.list_value.values]
        case "bool_value":
            return value.bool_value
        case "number_value":
            return _number(value.number_value)
        case _:
            return None


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


def _number(number: float) -> int | float:
    return int(number) if number.is_integer() and abs(number) <= _LARGEST_EXACT else number
