"""Placements of Open Cluster Management: which clusters something is for, as its hub says it.

A definition of our own stands in for that of OCM, with the fields that Argo CD reads.
"""

from collections.abc import Iterable

from tests.e2e.harness.kubernetes_api import MERGE_PATCH, KubernetesApi

CONFIG_MAP = "placements"
"""Tells Argo CD what a decision looks like; a generator names it."""

_GROUP, _VERSION, _PLURAL = "cluster.open-cluster-management.io", "v1beta1", "placementdecisions"
_API = f"{_GROUP}/{_VERSION}"


def make_placements(api: KubernetesApi, *, namespace: str, clusters: Iterable[str]) -> None:
    """Let a hub have placements in Argo CD's namespace, and Argo CD know the clusters."""
    api.apply(_definition())
    api.wait_for(
        lambda: api.serves(_API, "PlacementDecision"),
        message=lambda: "the API server does not serve PlacementDecision",
    )
    kind = {"apiVersion": _API, "kind": _PLURAL}
    keys = {"statusListKey": "decisions", "matchKey": "clusterName"}
    metadata = {"name": CONFIG_MAP, "namespace": namespace}
    api.apply(
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {**kind, **keys}}
    )
    for name in clusters:
        labels = {"argocd.argoproj.io/secret-type": "cluster"}
        api.apply(
            {
                "apiVersion": "v1",
                "kind": "Secret",
                "metadata": {"name": name, "namespace": namespace, "labels": labels},
                "stringData": {"name": name, "server": f"https://{name}.invalid", "config": "{}"},
            }
        )


def decide(api: KubernetesApi, placement: str, *, namespace: str, clusters: Iterable[str]) -> None:
    """Let a placement decide for these clusters."""
    metadata = {
        "name": f"{placement}-decision-1",
        "namespace": namespace,
        "labels": {f"{_GROUP}/placement": placement},
    }
    api.apply({"apiVersion": _API, "kind": "PlacementDecision", "metadata": metadata})
    decisions = [{"clusterName": name, "reason": ""} for name in clusters]
    path = f"/apis/{_API}/namespaces/{namespace}/{_PLURAL}/{metadata['name']}/status"
    api.request("PATCH", path, {"status": {"decisions": decisions}}, media=MERGE_PATCH)


def _definition() -> dict[str, object]:
    text = {"type": "string"}
    decision = {
        "type": "object",
        "properties": {"clusterName": text, "reason": text},
        "required": ["clusterName", "reason"],
    }
    status = {
        "type": "object",
        "properties": {"decisions": {"type": "array", "items": decision}},
    }
    version = {
        "name": _VERSION,
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {"status": status}}},
        "subresources": {"status": {}},
    }
    names = {"kind": "PlacementDecision", "plural": _PLURAL, "singular": "placementdecision"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{_PLURAL}.{_GROUP}"},
        "spec": {"group": _GROUP, "scope": "Namespaced", "names": names, "versions": [version]},
    }
