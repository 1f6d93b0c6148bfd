"""The two transports to a monitor tell an SDK the same, also of what fails."""

import threading
from collections.abc import Callable, Iterator

import grpc
import pytest
from google.protobuf import empty_pb2
from pulumi.runtime.proto import (
    callback_pb2,
    engine_pb2,
    engine_pb2_grpc,
    resource_pb2,
    resource_pb2_grpc,
)

from plugin_image.renderer.pulumi.monitor.errors import MonitorError
from plugin_image.renderer.pulumi.monitor.service.engine import Engine
from plugin_image.renderer.pulumi.monitor.transport.direct import DirectStub, InPlaceExecutor
from plugin_image.renderer.pulumi.monitor.transport.server import Elsewhere, serve
from plugin_image.renderer.pulumi.monitor.values import structs
from tests.unit.renderer.pulumi.monitor.harness import CONFIG_MAP, Harness

Transports = tuple[Harness, resource_pb2_grpc.ResourceMonitorStub, engine_pb2_grpc.EngineStub]


@pytest.fixture(params=["direct", "grpc"])
def transports(request: pytest.FixtureRequest) -> Iterator[Transports]:
    harness = Harness()
    engine = Engine(harness.events.append)
    if request.param == "direct":
        yield harness, DirectStub(harness.monitor), DirectStub(engine)  # type: ignore[misc]
        return
    with serve(harness.monitor, engine) as address, grpc.insecure_channel(address) as channel:
        monitor = resource_pb2_grpc.ResourceMonitorStub(channel)
        yield harness, monitor, engine_pb2_grpc.EngineStub(channel)


def test_a_request_is_answered(transports: Transports) -> None:
    harness, monitor, _ = transports
    request = resource_pb2.RegisterResourceRequest(type=CONFIG_MAP, name="a", custom=True)
    assert monitor.RegisterResource(request).id == "team/a"
    assert len(harness.recording.registrations) == 1


def test_a_refusal_is_an_rpc_error_with_its_words(transports: Transports) -> None:
    _, monitor, _ = transports
    request = resource_pb2.ResourceInvokeRequest(tok="aws:index:getRegion")
    with pytest.raises(grpc.RpcError) as refused:
        monitor.Invoke(request)
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert "aws:index:getRegion" in str(refused.value.details())


def test_an_rpc_that_does_not_exist_is_unimplemented(transports: Transports) -> None:
    _, _, engine = transports
    with pytest.raises(grpc.RpcError) as refused:
        engine.StartDebugging(engine_pb2.StartDebuggingRequest())
    assert refused.value.code() is grpc.StatusCode.UNIMPLEMENTED


def test_messages_are_kept_by_severity_and_debug_is_dropped(transports: Transports) -> None:
    harness, _, engine = transports
    for severity in ("DEBUG", "INFO", "WARNING", "ERROR"):
        number = engine_pb2.LogSeverity.Value(severity)
        engine.Log(engine_pb2.LogRequest(severity=number, message=severity))
    kept = [(message.severity, message.text) for message in harness.recording.messages]
    assert kept == [("info", "INFO"), ("warning", "WARNING"), ("error", "ERROR")]


def test_the_root_resource_is_what_was_set(transports: Transports) -> None:
    _, _, engine = transports
    engine.SetRootResource(engine_pb2.SetRootResourceRequest(urn="urn:root"))
    assert engine.GetRootResource(engine_pb2.GetRootResourceRequest()).urn == "urn:root"


def test_any_version_of_pulumi_is_good_enough(transports: Transports) -> None:
    _, _, engine = transports
    asked = engine_pb2.RequirePulumiVersionRequest(pulumi_version_range=">=99.0.0")
    assert engine.RequirePulumiVersion(asked) is not None


def test_the_end_is_heard(transports: Transports) -> None:
    harness, monitor, _ = transports
    monitor.SignalAndWaitForShutdown(empty_pb2.Empty())
    assert harness.events == [{"signalled": True}]


class _Failing:
    """A service that fails in these words."""

    def __init__(self, words: str) -> None:
        self._words = words

    def Invoke(self, _request: object) -> None:  # noqa: N802 - the protocol's name
        raise MonitorError("UNKNOWN", self._words)


def _failure(service: object) -> grpc.RpcError:
    """What a client is told of a call that fails."""
    with serve(service, Engine(print)) as address, grpc.insecure_channel(address) as channel:
        monitor = resource_pb2_grpc.ResourceMonitorStub(channel)
        with pytest.raises(grpc.RpcError) as failed:
            monitor.Invoke(resource_pb2.ResourceInvokeRequest())
        return failed.value


@pytest.mark.parametrize("words", [" not found ", "\tnot found\n", "not found\r\n \n", "not found"])
def test_a_failure_is_told_without_the_blanks_that_node_js_stumbles_over(words: str) -> None:
    assert _failure(_Failing(words)).details() == "not found"


@pytest.mark.parametrize("letter", ["x", "é", "語", "%", "\n", "😀"])
def test_a_long_failure_is_cut_and_not_lost(letter: str) -> None:
    failure = _failure(_Failing(f"chart {letter * 100_000}"))
    assert failure.code() is grpc.StatusCode.UNKNOWN
    assert str(failure.details()).startswith("chart")


def test_what_the_program_starts_may_ask_and_register_nothing() -> None:
    harness = Harness()
    service, engine = Elsewhere(harness.monitor), Engine(harness.events.append)
    with serve(service, engine) as address, grpc.insecure_channel(address) as channel:
        monitor = resource_pb2_grpc.ResourceMonitorStub(channel)
        asked = resource_pb2.SupportsFeatureRequest(id="secrets")
        assert monitor.SupportsFeature(asked).hasSupport
        request = resource_pb2.RegisterResourceRequest(type=CONFIG_MAP, name="a", custom=True)
        with pytest.raises(grpc.RpcError):
            monitor.RegisterResource(request)
    assert not harness.recording.registrations
    assert harness.recording.refusals


@pytest.fixture
def executor() -> Iterator[InPlaceExecutor]:
    with InPlaceExecutor(1) as executor:
        yield executor


def _by_the_sdk(function: Callable[[], object]) -> Callable[[], object]:
    function.__module__ = "pulumi.runtime.resource"
    return function


def _thread_of(executor: InPlaceExecutor, stub: DirectStub, threads: list[int]) -> int:
    """The thread that answers a registration which the SDK submits."""
    request = resource_pb2.RegisterResourceRequest(type=CONFIG_MAP, name="a", custom=True)
    executor.submit(_by_the_sdk(lambda: stub.RegisterResource(request))).result()
    return threads[-1]


class _Service:
    """Remembers which thread asked it."""

    def __init__(self) -> None:
        self.threads: list[int] = []

    def RegisterResource(self, _request: object) -> None:  # noqa: N802 - the protocol's name
        self.threads.append(threading.get_ident())


def test_an_answer_at_hand_is_given_in_place(executor: InPlaceExecutor) -> None:
    service = _Service()
    stub = DirectStub(service)
    assert _thread_of(executor, stub, service.threads) == threading.get_ident()


def test_what_waits_for_others_leaves_the_loop_free(executor: InPlaceExecutor) -> None:
    service = _Service()
    stub = DirectStub(service, waits=lambda _rpc, _request: True)
    assert _thread_of(executor, stub, service.threads) != threading.get_ident()
    assert len(service.threads) == 1, "asked twice: once in place, and once in a thread"


def test_what_the_program_submits_runs_in_a_thread(executor: InPlaceExecutor) -> None:
    assert executor.submit(threading.get_ident).result() != threading.get_ident()


def test_what_is_of_no_module_runs_as_well(executor: InPlaceExecutor) -> None:
    """As methods of builtins are: those of files, locks and strings."""
    assert executor.submit("text".upper).result() == "TEXT"


def test_a_failure_in_place_reaches_who_asked(executor: InPlaceExecutor) -> None:
    harness = Harness()
    stub = DirectStub(harness.monitor, waits=harness.monitor.waits)
    patch = "kubernetes:core/v1:ConfigMapPatch"
    request = resource_pb2.RegisterResourceRequest(type=patch, name="a", custom=True)
    structs.into_struct({"kind": "ConfigMap"}, request.object)
    future = executor.submit(_by_the_sdk(lambda: stub.RegisterResource(request)))
    with pytest.raises(grpc.RpcError):
        future.result()


def test_only_registrations_without_transforms_are_at_hand() -> None:
    monitor = Harness().monitor
    plain = resource_pb2.RegisterResourceRequest(type=CONFIG_MAP, name="a")
    remote = resource_pb2.RegisterResourceRequest(type="kubernetes:yaml/v2:ConfigFile", remote=True)
    assert not monitor.waits("RegisterResource", plain)
    assert monitor.waits("RegisterResource", remote)
    assert monitor.waits("Invoke", resource_pb2.ResourceInvokeRequest())
    monitor.RegisterStackTransform(callback_pb2.Callback(target="127.0.0.1:1", token="t"))
    assert monitor.waits("RegisterResource", plain)
