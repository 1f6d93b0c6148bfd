from dataclasses import replace

import grpc
import pytest
from pulumi.runtime.proto import resource_pb2, resource_pb2_grpc

from plugin_image.renderer.pulumi import stacks
from plugin_image.renderer.pulumi.monitor.errors import Refusal
from plugin_image.renderer.pulumi.monitor.job import Job
from plugin_image.renderer.pulumi.monitor.recording import Event
from plugin_image.renderer.pulumi.monitor.session import Session

JOB = Job(
    project="shop",
    stack="dev",
    organization="acme",
    namespace="team",
    root="/src",
    folder="/src",
    config={},
    secret_keys=[],
    ignore_foreign=False,
    kube_version="1.34.0",
    api_versions=[],
)


def open_session(job: Job = JOB) -> Session:
    events: list[Event] = []
    return Session(job, events.append, env={"PATH": "/nonexistent"}, read_stack=stacks.refuse)


def test_a_job_crosses_processes_as_plain_data() -> None:
    assert Job(**JOB.to_json()) == JOB


def test_both_services_are_served_at_one_address_which_closes_with_the_session() -> None:
    with open_session() as session:
        address = session.endpoint()
        assert session.endpoint() == address
        with grpc.insecure_channel(address) as channel:
            stub = resource_pb2_grpc.ResourceMonitorStub(channel)
            asked = resource_pb2.SupportsFeatureRequest(id="secrets")
            assert stub.SupportsFeature(asked).hasSupport
    with grpc.insecure_channel(address) as channel, pytest.raises(grpc.RpcError):
        resource_pb2_grpc.ResourceMonitorStub(channel).SupportsFeature(asked, timeout=2)


def test_a_provider_is_looked_for_when_it_is_needed() -> None:
    with open_session() as session, pytest.raises(Refusal, match="needs Pulumi's Kubernetes"):
        session.monitor.Invoke(resource_pb2.ResourceInvokeRequest(tok="kubernetes:yaml:decode"))


def test_wrong_naming_is_refused_before_the_program_runs() -> None:
    with pytest.raises(ValueError, match="mode"):
        open_session(replace(JOB, config={"pulumi:autonaming": '{"mode": "random"}'}))
