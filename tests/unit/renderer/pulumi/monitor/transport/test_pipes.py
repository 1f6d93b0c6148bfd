"""By pipes a program is told what it would be told by gRPC, or to ask by that."""

import random
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import grpc
import pytest
from google.protobuf.message import Message
from pulumi.runtime.proto import callback_pb2, engine_pb2, resource_pb2

from plugin_image.renderer.pulumi.monitor.service.engine import Engine
from plugin_image.renderer.pulumi.monitor.transport import pipes
from tests.unit.renderer.pulumi.monitor.harness import CONFIG_MAP, Harness

MONITOR = "/pulumirpc.ResourceMonitor/"
ENGINE = "/pulumirpc.Engine/"
BY_GRPC = 255

Ask = Callable[[str, Message | bytes], tuple[int, bytes]]


class Program:
    """The other end of both pipes."""

    def __init__(self, requests: Path, answers: Path) -> None:
        self.asks = requests.open("wb", buffering=0)
        self.told = answers.open("rb")

    def ask(self, path: str, message: Message | bytes) -> tuple[int, bytes]:
        data = message if isinstance(message, bytes) else message.SerializeToString()
        self.asks.write(struct.pack("!HI", len(path), len(data)) + path.encode() + data)
        status, size = struct.unpack("!BI", self.told.read(5))
        return status, self.told.read(size)

    def close(self) -> None:
        self.asks.close()
        self.told.close()


@pytest.fixture
def harness() -> Harness:
    return Harness()


@pytest.fixture
def program(harness: Harness, tmp_path: Path) -> Iterator[Program]:
    places = {name: tmp_path / name for name in ("requests", "answers")}
    with ExitStack() as stack:
        engine = Engine(harness.events.append)
        stack.enter_context(pipes.serve(harness.monitor, engine, **places))
        program = Program(**places)
        stack.callback(program.close)
        yield program


def _config_map(name: str = "a") -> resource_pb2.RegisterResourceRequest:
    return resource_pb2.RegisterResourceRequest(type=CONFIG_MAP, name=name, custom=True)


def test_a_request_is_answered(program: Program, harness: Harness) -> None:
    status, answer = program.ask(f"{MONITOR}RegisterResource", _config_map())
    assert status == grpc.StatusCode.OK.value[0]
    assert resource_pb2.RegisterResourceResponse.FromString(answer).id == "team/a"
    assert len(harness.recording.registrations) == 1


def test_the_engine_is_there_too(program: Program, harness: Harness) -> None:
    log = engine_pb2.LogRequest(severity=engine_pb2.INFO, message="made")
    assert program.ask(f"{ENGINE}Log", log) == (0, b"")
    assert [message.text for message in harness.recording.messages] == ["made"]


def test_a_refusal_has_its_status_and_its_words(program: Program) -> None:
    request = resource_pb2.RegisterResourceRequest(type="kubernetes:", name="a", custom=True)
    status, words = program.ask(f"{MONITOR}RegisterResource", request)
    assert status == grpc.StatusCode.INVALID_ARGUMENT.value[0]
    assert words


def test_what_the_service_lacks_is_unimplemented(program: Program) -> None:
    status, _ = program.ask(f"{ENGINE}StartDebugging", engine_pb2.StartDebuggingRequest())
    assert status == grpc.StatusCode.UNIMPLEMENTED.value[0]


def test_what_others_have_to_answer_goes_by_grpc_and_is_not_done_twice(
    program: Program, harness: Harness
) -> None:
    remote = resource_pb2.RegisterResourceRequest(type="kubernetes:yaml/v2:ConfigFile", remote=True)
    assert program.ask(f"{MONITOR}RegisterResource", remote) == (BY_GRPC, b"")
    assert program.ask(f"{MONITOR}Invoke", resource_pb2.ResourceInvokeRequest()) == (BY_GRPC, b"")
    harness.monitor.RegisterStackTransform(callback_pb2.Callback(target="127.0.0.1:1", token="t"))
    assert program.ask(f"{MONITOR}RegisterResource", _config_map()) == (BY_GRPC, b"")
    assert not harness.recording.registrations


def test_an_rpc_of_a_newer_sdk_goes_by_grpc(program: Program) -> None:
    assert program.ask(f"{MONITOR}NoSuchRpc", b"") == (BY_GRPC, b"")


def test_messages_larger_than_a_pipe_holds_pass(program: Program) -> None:
    request = _config_map()
    request.object["data"] = {"large": "x" * 3_000_000}
    status, answer = program.ask(f"{MONITOR}RegisterResource", request)
    assert status == 0
    assert len(answer) > 3_000_000


@pytest.mark.parametrize("seed", range(20))
def test_bytes_that_are_no_message_are_answered(program: Program, seed: int) -> None:
    generator = random.Random(seed)
    for _ in range(10):
        data = generator.randbytes(generator.randint(1, 300))
        status, _ = program.ask(f"{MONITOR}RegisterResource", data)
        assert status < BY_GRPC
    assert program.ask(f"{MONITOR}RegisterResource", _config_map())[0] == 0


@pytest.mark.parametrize("sent", [b"", b"\0", struct.pack("!HI", 3, 1000) + b"/ab"])
def test_a_program_that_goes_in_the_middle_of_a_request_leaves_no_thread(
    harness: Harness, tmp_path: Path, sent: bytes
) -> None:
    before = set(threading.enumerate())
    places = {name: tmp_path / name for name in ("requests", "answers")}
    with pipes.serve(harness.monitor, Engine(print), **places):
        program = Program(**places)
        program.asks.write(sent)
        program.close()
    for thread in set(threading.enumerate()) - before:
        thread.join(5)
        assert not thread.is_alive()


def test_a_program_that_never_comes_leaves_no_thread(harness: Harness, tmp_path: Path) -> None:
    before, files = set(threading.enumerate()), len([*Path("/proc/self/fd").iterdir()])
    places = {name: tmp_path / name for name in ("requests", "answers")}
    with pipes.serve(harness.monitor, Engine(print), **places):
        pass
    for thread in set(threading.enumerate()) - before:
        thread.join(5)
    assert len([*Path("/proc/self/fd").iterdir()]) == files
