"""What the repo-server in its pod renders, byte for byte."""

import os
import time
from contextlib import suppress

from tests.cluster.harness.argocd_pods import REPO_SERVER
from tests.cluster.harness.clusters import Cluster
from tests.e2e.harness import repo_server
from tests.e2e.harness.processes import Process, free_port, listens
from tests.e2e.harness.workspace import Workspace

_PORT = 8081
_READY_SECONDS = 120
_TRIES = 5
_AGAIN_SECONDS = 5


def manifests(
    cluster: Cluster, workspace: Workspace, *, repository: str, path: str, plugin: str
) -> list[str]:
    """Let the repo-server render a folder of a repository anew.

    The first that kubectl finds may be a pod that is about to end.
    """
    for _ in range(_TRIES - 1):
        with suppress(OSError):
            return _manifests(cluster, workspace, repository=repository, path=path, plugin=plugin)
        time.sleep(_AGAIN_SECONDS)
    return _manifests(cluster, workspace, repository=repository, path=path, plugin=plugin)


def _manifests(
    cluster: Cluster, workspace: Workspace, *, repository: str, path: str, plugin: str
) -> list[str]:
    port = free_port()
    kubectl = cluster.kubectl
    forward = Process(
        "port-forward",
        [
            "kubectl",
            f"--kubeconfig={kubectl.kubeconfig}",
            f"--namespace={kubectl.namespace}",
            "port-forward",
            f"deployment/{REPO_SERVER}",
            f"{port}:{_PORT}",
        ],
        environment={"PATH": os.environ["PATH"], "HOME": str(workspace.path)},
        log=workspace.logs / "port-forward.log",
    )
    try:
        forward.wait_ready(lambda: listens(port), timeout=_READY_SECONDS)
        return repo_server.manifests(
            port,
            application="bytes",
            repository=repository,
            path=path,
            plugin=plugin,
            encrypted=True,
        )
    finally:
        forward.stop()
