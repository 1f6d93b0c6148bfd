"""Whether what the API server was told is what runs."""

from tests.e2e.harness.kubernetes_api import KubernetesApi, NotFoundError, Object

_SECONDS = 120.0


def wait_until_ready(
    api: KubernetesApi, kind: str, name: str, *, namespace: str, timeout: float = _SECONDS
) -> Object:
    """Wait until every pod of a Deployment or StatefulSet is new and ready; return the object.

    Raises TimeoutError with what the pods say.
    """

    def ready() -> bool:
        try:
            return _is_ready(api.get("apps/v1", kind, name, namespace=namespace))
        except NotFoundError:
            return False

    api.wait_for(
        ready,
        message=lambda: f"{kind} {name} is not ready\n{describe_pods(api, namespace)}",
        timeout=timeout,
    )
    return api.get("apps/v1", kind, name, namespace=namespace)


def pods(api: KubernetesApi, name: str, *, namespace: str) -> list[Object]:
    """Return the pods of an application of Argo CD that are not about to go."""
    selector = f"app.kubernetes.io/name={name}"
    found = api.list("v1", "Pod", namespace=namespace, selector=selector)
    return [pod for pod in found if "deletionTimestamp" not in pod["metadata"]]


def describe_pods(api: KubernetesApi, namespace: str) -> str:
    """Return a line for each pod and each container that waits or has failed."""
    lines = []
    for pod in api.list("v1", "Pod", namespace=namespace):
        status = pod.get("status", {})
        containers = [
            *status.get("initContainerStatuses", []),
            *status.get("containerStatuses", []),
        ]
        lines.append(f"{pod['metadata']['name']}: {status.get('phase')}")
        lines += [f"    {each['name']}: {each['state']}" for each in containers]
    return "\n".join(lines)


def _is_ready(obj: Object) -> bool:
    status = obj.get("status", {})
    wanted = obj["spec"]["replicas"]
    counts = ("replicas", "updatedReplicas", "readyReplicas")
    seen = status.get("observedGeneration") == obj["metadata"]["generation"]
    return bool(seen and all(status.get(count, 0) == wanted for count in counts))
