"""What the API server makes of objects as it takes them in, as far as programs read it back.

It encodes, labels and fills in defaults. A program that copies one of these would copy nothing.
Source: kubernetes `pkg/apis/core/v1/defaults.go`, `pkg/apis/apps/v1/defaults.go`,
`pkg/apis/autoscaling/v2/defaults.go`, `pkg/registry/core/secret/strategy.go`.
"""

import base64
from collections.abc import Mapping
from typing import Any, Final

from ..values import wire

_SPECS: Final[Mapping[str, Mapping[str, wire.Json]]] = {
    "v1 ReplicationController": {"replicas": 1},
    "v1 Service": {"sessionAffinity": "None", "type": "ClusterIP"},
    "apps/v1 Deployment": {"replicas": 1},
    "apps/v1 ReplicaSet": {"replicas": 1},
    "apps/v1 StatefulSet": {"replicas": 1},
    "autoscaling/v2 HorizontalPodAutoscaler": {"minReplicas": 1},
}


def complete(state: dict[str, Any]) -> None:
    """Put it into an object. What is secret or not known as a whole is left alone."""
    kind = f"{state['apiVersion']} {state['kind']}"
    if kind in _SPECS:
        wire.update(state, "spec", _SPECS[kind], keep=True)
    if kind == "v1 Service":
        state["spec"] = _with_ports(state["spec"])
    elif kind == "v1 Namespace":
        state["metadata"] = _labelled(state.get("metadata"))
    elif kind == "v1 Secret" and "stringData" in state:
        wire.update(state, "data", encoded(state["stringData"]))


def encoded(texts: wire.Json) -> dict[str, str]:
    """A Secret's `stringData` in base64, without marks."""
    given = wire.plain(texts)
    return {
        key: base64.b64encode(str(text).encode(errors="surrogatepass")).decode()
        for key, text in (given.items() if isinstance(given, Mapping) else ())
    }


def _labelled(metadata: wire.Json) -> wire.Json:
    if not _is_seen(metadata):
        return metadata
    labelled = dict(metadata)
    wire.update(labelled, "labels", {"kubernetes.io/metadata.name": metadata.get("name")})
    return labelled


def _with_ports(spec: wire.Json) -> wire.Json:
    if not _is_seen(spec) or not isinstance(spec.get("ports"), list):
        return spec
    return {**spec, "ports": [_complete_port(port) for port in spec["ports"]]}


def _complete_port(port: wire.Json) -> wire.Json:
    if not _is_seen(port) or "port" not in port:
        return port
    return {"protocol": "TCP", "targetPort": port["port"], **port}


def _is_seen(part: wire.Json) -> bool:
    """Whether it is a mapping, and neither secret nor unknown as a whole."""
    return isinstance(part, Mapping) and not wire.signature_of(part)
