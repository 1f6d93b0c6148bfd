"""The cluster that the tests install into: one of their own, or one that is given.

`CLUSTER_REGISTRY` names a registry that this machine pushes to and the cluster of
`KUBECONFIG` pulls from. Both together mean that nothing is set up here: Docker, registry,
node and Argo CD are those that are there.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests import toolchain
from tests.cluster.harness import argocd_pods, rollouts
from tests.cluster.harness.argocd_pods import NAMESPACE, REPO_SERVER
from tests.cluster.harness.docker_engine import DockerEngine, running_registry
from tests.cluster.harness.kubectl import Kubectl
from tests.cluster.harness.node import Node, running_node
from tests.e2e.harness.kubernetes_api import KubernetesApi, Object
from tests.e2e.harness.processes import Process, free_port, listens
from tests.e2e.harness.workspace import Workspace

TOOLS = toolchain.SETS["test-cluster"]
"""What a cluster of the tests' own is made of, and what installs into it."""
REGISTRY_VARIABLE = "CLUSTER_REGISTRY"
_READY_SECONDS = 120


@dataclass(frozen=True)
class Cluster:
    """A cluster with Argo CD, and the registry that it pulls from."""

    api: KubernetesApi
    kubectl: Kubectl
    registry: str
    """What the names of images begin with."""
    node: Node | None
    """The node, where it is the tests' own."""

    @property
    def repo_server(self) -> Object:
        """The Deployment that the installer patches."""
        return self.api.get("apps/v1", "Deployment", REPO_SERVER, namespace=NAMESPACE)

    def pods(self) -> list[Object]:
        """The repo-server's pods."""
        return rollouts.pods(self.api, REPO_SERVER, namespace=NAMESPACE)

    def revision(self) -> int:
        """How often the repo-server was rolled out."""
        annotations = self.repo_server["metadata"]["annotations"]
        return int(annotations["deployment.kubernetes.io/revision"])

    def in_sidecar(self, script: str) -> str:
        """Run a shell script in the plugin's container and return what it writes."""
        pod, container = self._sidecar()
        return self.kubectl.execute(pod, "sh", "-euc", script, container=container)

    def sidecar_logs(self) -> str:
        """What the plugin's container has written since its last start."""
        return self.kubectl.logs(*self._sidecar())

    def sidecar_restarts(self) -> int:
        """How often the plugin's container was started again."""
        return sum(int(status["restartCount"]) for status in self._sidecar_statuses())

    def sidecar_is_ready(self) -> bool:
        """Whether the plugin's container, as it runs now, has come through its startup probe."""
        return all(status["ready"] for status in self._sidecar_statuses())

    def wait_until_ready(self) -> None:
        """Wait until the repo-server's roll-out is over. Raises TimeoutError."""
        rollouts.wait_until_ready(self.api, "Deployment", REPO_SERVER, namespace=NAMESPACE)

    def _sidecar_statuses(self) -> list[Object]:
        (pod,) = self.pods()
        statuses = pod["status"]["containerStatuses"]
        return [status for status in statuses if status["name"].startswith("cmp-")]

    def _sidecar(self) -> tuple[str, str]:
        (pod,) = self.pods()
        names = [each["name"] for each in pod["spec"]["containers"]]
        return pod["metadata"]["name"], next(name for name in names if name.startswith("cmp-"))


@dataclass(frozen=True)
class Given:
    """A cluster and a registry that are there already."""

    registry: str
    kubeconfig: str
    build_arguments: Mapping[str, str] = field(default_factory=dict)
    """How the image is built; without any with public downloads."""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "Given | None":
        """Read the variables. Raises ValueError for a registry without a kubeconfig."""
        registry = environment.get(REGISTRY_VARIABLE)
        if not registry:
            # A KUBECONFIG alone may be that of somebody's work, and means nothing here.
            return None
        if not environment.get("KUBECONFIG"):
            raise ValueError(f"{REGISTRY_VARIABLE} is set: set KUBECONFIG, too")
        arguments = json.loads(environment.get("CLUSTER_BUILD_ARGS", "{}"))
        return cls(registry.rstrip("/"), environment["KUBECONFIG"], arguments)


@contextmanager
def own_cluster(
    workspace: Workspace, tools: Mapping[str, Path], engine: DockerEngine
) -> Iterator[Cluster]:
    """Start a registry and a node, and install Argo CD as its manifests do."""
    with ExitStack() as stack:
        registry = stack.enter_context(running_registry(workspace, data=engine.pushed))
        argocd_pods.push_images(
            engine,
            registry.address,
            workspace.folder("argocd-images"),
            programs=[tools["argocd"], tools["helm"]],
            scripts=tools["argocd-image-scripts"],
        )
        node = stack.enter_context(running_node(workspace, tools, engine, registry))
        argocd_pods.install(node.api, tools["argocd-manifests"], registry=registry.address)
        kubectl = Kubectl(node.kubeconfig, NAMESPACE)
        yield Cluster(node.api, kubectl, registry.address, node)


@contextmanager
def given_cluster(given: Given, workspace: Workspace) -> Iterator[Cluster]:
    """Use what is there. Raises AssertionError where Argo CD's repo-server is not."""
    kubeconfig = workspace.folder("given-cluster") / "kubeconfig"
    kubeconfig.touch(mode=0o600)
    view = Kubectl(Path(given.kubeconfig), NAMESPACE)
    kubeconfig.write_text(view.run("config", "view", "--minify", "--flatten", "--raw"))
    port = free_port()
    proxy = Process(
        "kubectl-proxy",
        ["kubectl", f"--kubeconfig={kubeconfig}", "proxy", f"--port={port}"],
        environment={"PATH": os.environ["PATH"], "HOME": str(Path.home())},
        log=workspace.logs / "kubectl-proxy.log",
    )
    server = f"http://127.0.0.1:{port}"
    api = KubernetesApi(server, ca_file=None, token=None, user_agent="tests/cluster")
    try:
        proxy.wait_ready(lambda: listens(port), timeout=_READY_SECONDS)
        there = api.find("apps/v1", "Deployment", REPO_SERVER, namespace=NAMESPACE)
        assert there, f"install Argo CD first: no Deployment {NAMESPACE}/{REPO_SERVER}"
        yield Cluster(api, Kubectl(kubeconfig, NAMESPACE), given.registry, None)
    finally:
        api.close()
        proxy.stop()
