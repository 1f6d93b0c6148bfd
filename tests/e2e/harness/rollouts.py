"""Says of workloads that they have come as far as they should, as controllers and kubelet do.

Nothing runs them here, and what Argo CD does once they are healthy it would never do.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from tests.e2e.harness.kubernetes_api import MERGE_PATCH, KubernetesApi, NotFoundError, Object

Status = Mapping[str, Any]


def finish(api: KubernetesApi, namespace: str) -> None:
    """Let every Deployment, autoscaler, Job and Pod of the namespace be healthy."""
    for group, kind, plural, status in _WORKLOADS:
        for obj in api.list(group, kind, namespace=namespace):
            place = f"{'api' if group == 'v1' else 'apis'}/{group}/namespaces/{namespace}"
            path = f"/{place}/{plural}/{obj['metadata']['name']}/status"
            with suppress(NotFoundError):  # it may be deleted meanwhile
                api.request("PATCH", path, {"status": status(obj)}, media=MERGE_PATCH)


def _deployment(obj: Object) -> Status:
    counts = ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas")
    generation = obj["metadata"]["generation"]
    return {"observedGeneration": generation, **dict.fromkeys(counts, obj["spec"]["replicas"])}


def _autoscaler(_obj: Object) -> Status:
    return {"desiredReplicas": 1, "conditions": [{"type": "AbleToScale", "status": "True"}]}


def _job(obj: Object) -> Status:
    if "completionTime" in obj.get("status", {}):
        return {}
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    conditions = [{"type": kind, "status": "True"} for kind in ("SuccessCriteriaMet", "Complete")]
    times = {"startTime": now, "completionTime": now}
    return {**times, "succeeded": 1, "uncountedTerminatedPods": {}, "conditions": conditions}


def _pod(_obj: Object) -> Status:
    return {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}


_WORKLOADS: tuple[tuple[str, str, str, Callable[[Object], Status]], ...] = (
    ("apps/v1", "Deployment", "deployments", _deployment),
    ("autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers", _autoscaler),
    ("batch/v1", "Job", "jobs", _job),
    ("v1", "Pod", "pods", _pod),
)
