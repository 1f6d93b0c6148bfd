"""Whatever a process sends, the monitor answers it or says no; it never hangs or crashes."""

import json
import random
import string
from collections.abc import Callable, Iterator
from typing import Any

import grpc
import pytest
from google.protobuf import struct_pb2
from pulumi.runtime.proto import callback_pb2, engine_pb2, resource_pb2

from plugin_image.renderer import documents
from plugin_image.renderer.errors import RenderError
from plugin_image.renderer.pulumi import manifests
from plugin_image.renderer.pulumi.monitor.errors import MonitorError
from plugin_image.renderer.pulumi.monitor.service.engine import Engine
from plugin_image.renderer.pulumi.monitor.transport.dispatch import dispatch
from plugin_image.renderer.pulumi.monitor.transport.server import serve
from plugin_image.renderer.pulumi.monitor.values import structs, wire
from plugin_image.renderer.pulumi.options import Options
from tests.unit.renderer.pulumi.monitor.harness import CONFIG_MAP, Harness


def _field(number: int, data: bytes) -> bytes:
    """A field of bytes, as it is on the wire."""
    return bytes([number << 3 | 2]) + _varint(len(data)) + data


def _varint(number: int) -> bytes:
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*encoded, number])


def _in_list(value: bytes) -> bytes:
    """A `Value` that is a list of the `Value`."""
    return _field(6, _field(1, value))


def _in_map(value: bytes) -> bytes:
    """A `Value` that is a map of the `Value`."""
    return _field(5, _field(1, _field(1, b"k") + _field(2, value)))


MONITOR = "/pulumirpc.ResourceMonitor/"
SECONDS = 5

REQUESTS: dict[str, Callable[[], Any]] = {
    "RegisterResource": resource_pb2.RegisterResourceRequest,
    "RegisterResourceOutputs": resource_pb2.RegisterResourceOutputsRequest,
    "ReadResource": resource_pb2.ReadResourceRequest,
    "Invoke": resource_pb2.ResourceInvokeRequest,
    "Call": resource_pb2.ResourceCallRequest,
    "SupportsFeature": resource_pb2.SupportsFeatureRequest,
    "RegisterPackage": resource_pb2.RegisterPackageRequest,
    "RegisterResourceHook": resource_pb2.RegisterResourceHookRequest,
    "RegisterErrorHook": resource_pb2.RegisterErrorHookRequest,
    "RegisterStackTransform": callback_pb2.Callback,
    "RegisterStackInvokeTransform": callback_pb2.Callback,
    "SignalAndWaitForShutdown": engine_pb2.SetRootResourceResponse,
    "GetDeploymentInfo": engine_pb2.SetRootResourceResponse,
}
"""Every rpc of the monitor, and what makes an empty request of it."""

TYPES = [
    "kubernetes:core/v1:ConfigMap",
    "kubernetes:core/v1:Secret",
    "kubernetes:helm.sh/v4:Chart",
    "kubernetes:example.com/v1:Kind",
    "pulumi:providers:kubernetes",
    "pulumi:pulumi:Stack",
    "pulumi:index:Stash",
    "kubernetes",
    "kubernetes:",
    "kubernetes::",
    "kubernetes:a:b:c",
    ":::",
    "",
]


@pytest.mark.parametrize("seed", range(300))
def test_mutated_messages_are_answered_or_refused(seed: int) -> None:
    generator = random.Random(seed)
    harness = Harness(ignore_foreign=generator.random() < 0.5)
    for _ in range(10):
        rpc = generator.choice([*REQUESTS, "RegisterResource", "RegisterResource"])
        request = _message(generator, REQUESTS[rpc]())
        try:
            dispatch(harness.monitor, rpc, request)
        except MonitorError as error:
            assert error.code in grpc.StatusCode.__members__
            assert error.code != "INTERNAL", f"{rpc} stumbles over {request}: {error.__cause__!r}"
    json.dumps(harness.events)
    try:
        documents.to_stream(
            manifests.build(harness.recording, Options(allow_empty=True), None, "default")
        )
    except RenderError as error:
        assert str(error)


@pytest.fixture(scope="module")
def channel() -> Iterator[grpc.Channel]:
    harness = Harness()
    with (
        serve(harness.monitor, Engine(harness.events.append)) as address,
        grpc.insecure_channel(address) as channel,
    ):
        yield channel


@pytest.mark.parametrize("seed", range(100))
def test_bytes_that_are_no_message_get_a_grpc_error(channel: grpc.Channel, seed: int) -> None:
    generator = random.Random(seed)
    rpc = generator.choice([*REQUESTS, "NoSuchRpc"])
    try:
        _send(channel, rpc, generator.randbytes(generator.randint(1, 300)))
    except grpc.RpcError as error:
        assert error.code() is not grpc.StatusCode.DEADLINE_EXCEEDED, f"{rpc} hangs"


@pytest.mark.parametrize("inner", [_in_list, _in_map], ids=["lists", "maps"])
@pytest.mark.parametrize("levels", [31, 35, 100, 240, 249, 251, 340, 2000, 25_000])
def test_objects_are_nested_in_250_levels_and_in_no_more(
    channel: grpc.Channel, levels: int, inner: Callable[[bytes], bytes]
) -> None:
    value = struct_pb2.Value(string_value="x").SerializeToString()
    for _ in range(levels - 1):
        value = inner(value)
    struct = _field(1, _field(1, b"spec") + _field(2, value))
    named = _field(1, b"kubernetes:example.com/v1:Own") + _field(2, f"{inner}{levels}".encode())
    request = named + b"\x20\x01" + _field(5, struct)
    if levels < structs.MOST_LEVELS:
        _send(channel, "RegisterResource", request)
        return
    with pytest.raises(grpc.RpcError) as refused:
        _send(channel, "RegisterResource", request)
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    said = str(refused.value.details())
    assert said.startswith("kubernetes:example.com/v1:Own '")
    assert "nested in more than 250 levels" in said


@pytest.mark.parametrize("levels", [251, 2000])
def test_arguments_of_a_function_are_nested_in_no_more_levels(
    channel: grpc.Channel, levels: int
) -> None:
    value = struct_pb2.Value(string_value="x").SerializeToString()
    for _ in range(levels):
        value = _in_map(value)
    arguments = _field(1, _field(1, b"spec") + _field(2, value))
    with pytest.raises(grpc.RpcError) as refused:
        _send(channel, "Invoke", _field(1, b"kubernetes:yaml:decode") + _field(2, arguments))
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert "nested in more than 250 levels" in str(refused.value.details())


@pytest.mark.parametrize(
    "tail",
    [
        b"\x0b" * 30_000,  # groups in groups, which no message of the protocol has
        b"\x2a" + b"\xff" * 20_000,
        b"\x2a\xff\xff\xff\xff\x0f" + b"a" * 2000,
        b"\x2a" * 5000,
        b"\x80" * 5000,
    ],
    ids=["groups", "a length without end", "a length beyond the end", "tags", "a tag without end"],
)
def test_long_messages_that_are_none_get_a_grpc_error(channel: grpc.Channel, tail: bytes) -> None:
    with pytest.raises(grpc.RpcError) as refused:
        _send(channel, "RegisterResource", _field(1, CONFIG_MAP.encode()) + tail)
    assert refused.value.code() in (grpc.StatusCode.INTERNAL, grpc.StatusCode.INVALID_ARGUMENT)


def test_after_all_of_that_the_monitor_still_answers(channel: grpc.Channel) -> None:
    request = resource_pb2.SupportsFeatureRequest(id="secrets").SerializeToString()
    answer = _send(channel, "SupportsFeature", request)
    assert resource_pb2.SupportsFeatureResponse.FromString(answer).hasSupport


def _send(channel: grpc.Channel, rpc: str, request: bytes) -> bytes:
    """Call an rpc with these very bytes."""
    call = channel.unary_unary(f"{MONITOR}{rpc}", bytes, bytes)
    return bytes(call(request, timeout=SECONDS))


def _message(generator: random.Random, message: Any) -> Any:
    """Fill some fields of a message with things that make sense, and things that do not."""
    for field in message.DESCRIPTOR.fields:
        if generator.random() < 0.3 or (field.message_type and field.name == "transforms"):
            continue
        if field.message_type and field.message_type.name == "Struct":
            structs.into_struct(_properties(generator), getattr(message, field.name))
        elif field.message_type or field.is_repeated:
            continue
        elif field.cpp_type == field.CPPTYPE_STRING and field.type == field.TYPE_STRING:
            setattr(message, field.name, _string(generator, field.name))
        elif field.cpp_type == field.CPPTYPE_BOOL:
            setattr(message, field.name, generator.random() < 0.5)
    return message


def _string(generator: random.Random, field: str) -> str:
    if field == "target":
        return "127.0.0.1:1"
    texts: list[str] = (
        TYPES
        if field in ("type", "tok")
        else ["", "a", "urn:x::y::z", "😀", "a" * 1000, "\0", *string.punctuation]
    )
    return generator.choice(texts)


def _properties(generator: random.Random) -> dict[str, Any]:
    keys = ["apiVersion", "kind", "metadata", "spec", "data", "items", "status", wire.SIGNATURE]
    return {key: _value(generator, 3) for key in generator.sample(keys, generator.randint(0, 6))}


def _value(generator: random.Random, depth: int) -> Any:
    leaves = [None, "", "text", 0, -1, 2**60, 1e300, float("nan"), float("inf"), True, wire.UNKNOWN]
    marks = [wire.SECRET, wire.OUTPUT, wire.RESOURCE, wire.ASSET, wire.ARCHIVE, "other", 3, None]
    if depth == 0 or generator.random() < 0.4:
        return generator.choice(leaves)
    if generator.random() < 0.3:
        return {wire.SIGNATURE: generator.choice(marks), "value": _value(generator, depth - 1)}
    if generator.random() < 0.3:
        return [_value(generator, depth - 1) for _ in range(3)]
    keys = ["name", "namespace", "generateName", "annotations", "value", "a"]
    return {key: _value(generator, depth - 1) for key in generator.sample(keys, 3)}
