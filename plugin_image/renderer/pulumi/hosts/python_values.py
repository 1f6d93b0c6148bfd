"""Tells the monitor of values that have no JSON form, where the SDK would only stumble.

The SDK's own words for them come after three lines about the resource, and show the property's
other values; it silently rounds integers that are not doubles. The monitor knows the object, its
line and the path. Source: pulumi/pulumi `sdk/python/lib/pulumi/runtime/rpc.py`.
"""

import inspect
import sys
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any

import pulumi
from google.protobuf import struct_pb2
from pulumi import _types
from pulumi.runtime import rpc

from ..monitor.values import doubles, wire

_TEXT = frozenset({str})
_ALWAYS_CARRIED = frozenset({str, bool, float, type(None), list})
_CARRIED = (str, float, Mapping, pulumi.Output, pulumi.Resource, pulumi.Asset, pulumi.Archive)
_CARRIED_BY_SDK = (*_CARRIED, struct_pb2.Value, pulumi.output.Unknown)
_NO_SEQUENCES = (range, memoryview, bytes, bytearray)


def install() -> None:
    """Look at each value before the SDK does."""
    serialize = rpc.serialize_property
    signature = inspect.signature(serialize)

    def looked_at(value: Any, *arguments: Any, **options: Any) -> Coroutine[Any, Any, Any]:
        if type(value) not in _ALWAYS_CARRIED and not _is_carried(value):
            asked = signature.bind(value, *arguments, **options)
            if not _is_double(value, asked.arguments.get("typ")):
                return _instead(value)
            value = float(value)
        return serialize(value, *arguments, **options)

    rpc.serialize_property = looked_at


def _is_carried(value: Any) -> bool:
    if isinstance(value, dict):
        return _TEXT.issuperset(map(type, value)) or _odd_key(value) is None
    if isinstance(value, int):
        return doubles.is_exact(value)
    if isinstance(value, Sequence):
        return not isinstance(value, _NO_SEQUENCES)
    return (
        isinstance(value, _CARRIED_BY_SDK)
        or inspect.isawaitable(value)
        or _types.is_input_type(type(value))
    )


def _is_double(value: Any, type_: Any) -> bool:
    """Whether it is an integer where Kubernetes has a double, as a schema's `maximum` is."""
    is_integer = isinstance(value, int) and abs(value) <= sys.float_info.max
    return is_integer and type_ is not None and _types.unwrap_type(type_) is float


def _odd_key(mapping: dict[Any, Any]) -> str | None:
    """A key that is not a string, as messages show it, or None."""
    return next((_told(key) for key in mapping if not isinstance(key, str)), None)


def _told(key: object) -> str:
    """Most others would be shown by their address, which differs in each render."""
    known = key is None or isinstance(key, (int, float, bytes))
    return repr(key) if known else f"of type {type(key).__name__}"


async def _instead(value: Any) -> dict[str, str]:
    if isinstance(value, int):
        return wire.uncarried("an integer beyond 2^53, which Pulumi rounds,")
    if isinstance(value, dict):
        return wire.uncarried(f"the key {_odd_key(value)}, which is not a string,")
    return wire.uncarried(f"a value of type {type(value).__name__}")
