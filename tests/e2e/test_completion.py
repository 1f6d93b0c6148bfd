"""What programs read back of objects is what a real API server makes of them."""

import copy
from typing import Any

import pytest

from plugin_image.renderer.pulumi.monitor.resources import completion
from tests.e2e.harness.api_server import ApiServer

LABELS = {"app": "shop"}
TEMPLATE = {
    "metadata": {"labels": LABELS},
    "spec": {"containers": [{"name": "shop", "image": "shop"}]},
}
REPLICATED = {"selector": {"matchLabels": LABELS}, "template": TEMPLATE}
OBJECTS: dict[str, dict[str, Any]] = {
    "v1 Namespace": {"metadata": {"name": "shop", "labels": LABELS}},
    "v1 ReplicationController": {"spec": {"selector": LABELS, "template": TEMPLATE}},
    "v1 Secret": {"data": {"a": "MQ==", "b": "Mg=="}, "stringData": {"a": "größer"}},
    "v1 Service": {
        "spec": {"ports": [{"port": 80, "name": "a"}, {"port": 1, "name": "b", "targetPort": "c"}]}
    },
    "apps/v1 Deployment": {"spec": REPLICATED},
    "apps/v1 ReplicaSet": {"spec": REPLICATED},
    "apps/v1 StatefulSet": {"spec": {**REPLICATED, "serviceName": "shop"}},
    "autoscaling/v2 HorizontalPodAutoscaler": {
        "spec": {
            "maxReplicas": 3,
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "shop"},
        }
    },
}


@pytest.mark.parametrize("kind", OBJECTS)
def test_programs_read_back_what_an_api_server_makes_of_an_object(
    api_server: ApiServer, kind: str
) -> None:
    version, _, name = kind.partition(" ")
    given = {"apiVersion": version, "kind": name, "metadata": {"name": "shop"}, **OBJECTS[kind]}
    namespace = None if name == "Namespace" else "default"
    kept = api_server.admin.create(given, namespace=namespace, query={"dryRun": "All"})
    read = copy.deepcopy(given)
    completion.complete(read)
    assert read != given
    read.pop("stringData", None)
    assert _within(read, kept), (read, kept)


def _within(part: Any, whole: Any) -> bool:
    """Whether all of the part is in the whole, lists item by item."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(key in whole and _within(value, whole[key]) for key, value in part.items())
    if isinstance(part, list) and isinstance(whole, list):
        return len(part) == len(whole) and all(map(_within, part, whole))
    return bool(part == whole)
