import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.empty_pb2 import Empty
from pulumi.runtime.proto import (
    plugin_pb2,
    provider_pb2,
    provider_pb2_grpc,
    resource_pb2,
    resource_pb2_grpc,
)

from plugin_image.renderer.pulumi.monitor.errors import Refusal
from plugin_image.renderer.pulumi.monitor.keyed.package import KINDS
from plugin_image.renderer.pulumi.monitor.plugin.packages import Package, Program
from plugin_image.renderer.pulumi.monitor.recording import Event
from plugin_image.renderer.pulumi.monitor.run_context import LiveName, RunContext
from plugin_image.renderer.pulumi.monitor.service.schemas import PackageSchema
from plugin_image.renderer.pulumi.monitor.session import Session
from plugin_image.renderer.pulumi.monitor.transport.server import serve_schema
from plugin_image.renderer.supervise import Server

CONTEXT = RunContext(
    project="shop",
    stack="dev",
    organization="acme",
    namespace="team",
    root="/src",
    folder="/src",
    kube_version="1.34.0",
)


def open_session(context: RunContext = CONTEXT) -> Session:
    events: list[Event] = []
    return Session(context, events.append, env={"PATH": "/nonexistent"})


def test_a_run_context_crosses_processes_as_plain_data() -> None:
    context = replace(CONTEXT, config={"a:b": "c"}, live_names={"urn": LiveName("web-1", "web")})
    assert RunContext.from_json(json.loads(json.dumps(context.to_json()))) == context


def test_both_services_are_served_at_one_address_which_closes_with_the_session() -> None:
    with open_session() as session:
        address = session.endpoint()
        assert session.endpoint() == address
        with grpc.insecure_channel(address) as channel:
            stub = resource_pb2_grpc.ResourceMonitorStub(channel)
            asked = resource_pb2.SupportsFeatureRequest(id="secrets")
            assert stub.SupportsFeature(asked).hasSupport
    with grpc.insecure_channel(address) as channel, pytest.raises(grpc.RpcError):
        resource_pb2_grpc.ResourceMonitorStub(channel).SupportsFeature(asked, timeout=60)


def test_a_provider_is_looked_for_when_it_is_needed() -> None:
    with open_session() as session, pytest.raises(Refusal, match="needs Pulumi's Kubernetes"):
        session.monitor.Invoke(resource_pb2.ResourceInvokeRequest(tok="kubernetes:yaml:decode"))


def test_wrong_naming_is_refused_before_the_program_runs() -> None:
    with pytest.raises(ValueError, match="mode"):
        open_session(replace(CONTEXT, config={"pulumi:autonaming": '{"mode": "random"}'}))


def test_what_the_program_starts_may_ask_and_registers_nothing() -> None:
    with open_session() as session:
        address = session.endpoint_elsewhere()
        assert address != session.endpoint()
        with grpc.insecure_channel(address) as channel:
            stub = resource_pb2_grpc.ResourceMonitorStub(channel)
            asked = resource_pb2.SupportsFeatureRequest(id="secrets")
            assert stub.SupportsFeature(asked).hasSupport
            with pytest.raises(grpc.RpcError, match="registered in another process"):
                stub.RegisterResource(resource_pb2.RegisterResourceRequest(type="a:b:C", name="c"))


def test_what_is_rehearsed_is_counted_and_comes_to_nothing() -> None:
    events: list[Event] = []
    with Session(CONTEXT, events.append, env={}) as session:
        address, rehearsal = session.rehearsal()
        assert session.rehearsal() == (address, rehearsal)
        with grpc.insecure_channel(address) as channel:
            stub = resource_pb2_grpc.ResourceMonitorStub(channel)
            assert not stub.SupportsFeature(
                resource_pb2.SupportsFeatureRequest(id="secrets")
            ).hasSupport
            child = resource_pb2.RegisterResourceRequest(type="a:b:C", name="c", parent="urn:p")
            assert stub.RegisterResource(child).urn != stub.RegisterResource(child).urn
            stub.RegisterResourceOutputs(resource_pb2.RegisterResourceOutputsRequest(urn="urn:p"))
        assert (rehearsal.children("urn:p"), rehearsal.children("urn:q")) == (2, 0)
    assert not events


def test_packages_tell_their_schemas_and_one_that_runs_is_asked_for_its_own() -> None:
    started: list[str] = []

    @contextmanager
    def serve(program: Program) -> Iterator[Server]:
        started.append(program.endpoint())
        with serve_schema(PackageSchema(lambda: '{"name": "web"}')) as port:
            yield Server(port, lambda: "")

    web = Package("web", "web/PulumiPlugin.yaml", Path("/src/web"), serve)
    with Session(CONTEXT, lambda _: None, env={}, packages=[web]) as session:
        ports = session.schemas()
        assert not started
        told = {name: told_schema(port) for name, port in ports.items()}
        assert told["web"] == ("0.0.0", {"name": "web"})
        assert len(started) == 1
    version, random = told["random"]
    assert (version, random["resources"].keys()) == (random["version"], KINDS.keys())
    password = random["resources"]["random:index/randomPassword:RandomPassword"]
    assert password["requiredInputs"] == ["length"]
    assert password["properties"]["result"] == {"type": "string", "secret": True}


def told_schema(port: int) -> tuple[str, Any]:
    """The version and the schema that a provider tells, asked as a language host does."""
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        provider = provider_pb2_grpc.ResourceProviderStub(channel)
        provider.Attach(plugin_pb2.PluginAttach(address="127.0.0.1:1"))
        version = provider.GetPluginInfo(Empty()).version
        return version, json.loads(provider.GetSchema(provider_pb2.GetSchemaRequest()).schema)
