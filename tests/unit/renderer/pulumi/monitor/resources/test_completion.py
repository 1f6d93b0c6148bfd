"""Programs read back of objects what the API server makes of them, and of nothing else."""

from typing import Any

import pytest

from plugin_image.renderer.pulumi.monitor.resources import completion
from plugin_image.renderer.pulumi.monitor.values import wire


def completed(api_version: str, kind: str, **content: Any) -> dict[str, Any]:
    state = {"apiVersion": api_version, "kind": kind, **content}
    completion.complete(state)
    return {key: part for key, part in state.items() if key not in ("apiVersion", "kind")}


def test_what_an_object_gives_stays() -> None:
    ports = [{"port": 80, "targetPort": "http", "protocol": "UDP"}]
    spec = {"type": "NodePort", "sessionAffinity": "ClientIP", "ports": ports}
    assert completed("v1", "Service", spec=spec) == {"spec": spec}
    assert completed("apps/v1", "Deployment", spec={"replicas": 0}) == {"spec": {"replicas": 0}}


@pytest.mark.parametrize(
    "spec", [wire.UNKNOWN, "odd", {"ports": wire.UNKNOWN}, {"ports": ["odd", {"name": "odd"}]}]
)
def test_what_cannot_be_seen_is_left_alone(spec: Any) -> None:
    found = completed("v1", "Service", spec=spec)["spec"]
    assert found == (
        {"sessionAffinity": "None", "type": "ClusterIP", **spec} if isinstance(spec, dict) else spec
    )


def test_what_is_secret_stays_secret() -> None:
    port = wire.secret(8080)
    found = completed("v1", "Service", spec={"ports": [{"port": port}]})["spec"]["ports"]
    assert found == [{"port": port, "targetPort": port, "protocol": "TCP"}]
    spec = wire.secret({"ports": []})
    assert wire.is_secret(completed("v1", "Service", spec=spec)["spec"])
    metadata = wire.secret({"name": "a"})
    assert completed("v1", "Namespace", metadata=metadata) == {"metadata": metadata}


def test_other_kinds_are_left_alone() -> None:
    assert completed("example.com/v1", "Service", spec={}) == {"spec": {}}
    assert completed("v1", "ConfigMap", stringData={"a": "1"}) == {"stringData": {"a": "1"}}
