"""The pods of a plugin in service mode, and what may become of them."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime

from tests.cluster.harness import rollouts
from tests.cluster.harness.argocd_pods import NAMESPACE
from tests.cluster.harness.clusters import Cluster
from tests.e2e.harness.kubernetes_api import Object

_READY_SECONDS = 180
_ENDED = ("Succeeded", "Failed")
_END_SECONDS = 120


@dataclass(frozen=True)
class PluginPods:
    """The pods of one plugin."""

    cluster: Cluster
    name: str
    """That of its Deployment, its Service and all the rest."""

    def ready(self) -> list[Object]:
        """Return the pods that take renders and are to go on with it."""
        pods = rollouts.pods(self.cluster.api, self.name, namespace=NAMESPACE)
        return [pod for pod in pods if _is_ready(pod)]

    def wait_until_ready(self, count: int) -> list[Object]:
        """Wait until so many pods are ready, and return them. Raises TimeoutError."""
        self.cluster.api.wait_for(
            lambda: len(self.ready()) == count,
            message=lambda: rollouts.describe_pods(self.cluster.api, NAMESPACE),
            timeout=_READY_SECONDS,
        )
        return self.ready()

    def lose(self, pod: Object) -> None:
        """End a pod as if its node had failed; where that is not ours, without any grace."""
        metadata = pod["metadata"]
        if self.cluster.node:
            self.cluster.node.kill_pod(metadata["uid"])
        path = f"/api/v1/namespaces/{NAMESPACE}/pods/{metadata['name']}"
        self.cluster.api.request("DELETE", path, {"gracePeriodSeconds": 0})

    def scale(self, count: int) -> None:
        """Say how many pods there are to be."""
        spec = {"spec": {"replicas": count}}
        self.cluster.api.patch("apps/v1", "Deployment", self.name, spec, namespace=NAMESPACE)

    def time_left(self, names: Collection[str]) -> dict[str, float]:
        """Wait until pods have ended; return how many seconds more each would have been given.

        A pod has ended with its last process: the kubelet may take the rest of the time to tell
        the API server so.
        """
        due: dict[str, datetime] = {}
        left: dict[str, float] = {}

        def ended() -> bool:
            present, now = self._present(), datetime.now(UTC)
            times = {n: pod["metadata"].get("deletionTimestamp") for n, pod in present.items()}
            due.update({n: datetime.fromisoformat(time) for n, time in times.items() if time})
            running = {n for n, pod in present.items() if self._is_running(pod)}
            gone = set(names) - running - left.keys()
            left.update({n: (due[n] - now).total_seconds() for n in gone})
            return len(left) == len(names)

        self.cluster.api.wait_for(
            ended, message=lambda: f"of {names}, {left} have ended", timeout=_END_SECONDS
        )
        return left

    def _is_running(self, pod: Object) -> bool:
        node = self.cluster.node
        ended = pod["status"]["phase"] in _ENDED
        return not ended and (node is None or node.runs_pod(pod["metadata"]["uid"]))

    def _present(self) -> dict[str, Object]:
        """Return each pod, also one that ends, by its name."""
        selector = f"app.kubernetes.io/name={self.name}"
        pods = self.cluster.api.list("v1", "Pod", namespace=NAMESPACE, selector=selector)
        return {pod["metadata"]["name"]: pod for pod in pods}


def _is_ready(pod: Object) -> bool:
    conditions = pod.get("status", {}).get("conditions", [])
    return any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)
