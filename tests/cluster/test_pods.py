"""The whole product on a real cluster: image, push, `pulumi up`, pods, a delivered program."""

import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests import toolchain
from tests.cluster.conftest import BuildVariant
from tests.cluster.harness import argocd_pods, docker_build_plugin, rollouts
from tests.cluster.harness.argocd_pods import NAMESPACE, REPO_SERVER
from tests.cluster.harness.docker_engine import Build, DockerEngine, Registry, running_registry
from tests.cluster.harness.git_server import running_git_server
from tests.cluster.harness.node import TOOLS, Node, running_node
from tests.e2e.conftest import uncaptured
from tests.e2e.harness.applications import Application
from tests.e2e.harness.git_repository import GitRepository
from tests.e2e.harness.kubernetes_api import Object
from tests.e2e.harness.pulumi_stack import ROOT, PulumiStack
from tests.e2e.harness.workspace import Workspace

_DESTINATION = "guestbook"
_PUBLIC_IMAGE = "gcr.io/google-samples/gb-frontend:v5"
_MINUTES = 300.0


@dataclass(frozen=True)
class Cluster:
    """A node with Argo CD on it, and where it pulls and fetches from."""

    node: Node
    registry: Registry
    repository: GitRepository

    @property
    def repo_server(self) -> Object:
        """The Deployment that the installer patches."""
        return self.node.api.get("apps/v1", "Deployment", REPO_SERVER, namespace=NAMESPACE)

    def pods(self) -> list[Object]:
        """The repo-server's pods."""
        return rollouts.pods(self.node.api, REPO_SERVER, namespace=NAMESPACE)

    def revision(self) -> str:
        """How often the repo-server was rolled out."""
        return str(self.repo_server["metadata"]["annotations"]["deployment.kubernetes.io/revision"])

    def in_sidecar(self, script: str) -> str:
        """Run a shell script in the plugin's container and return what it writes."""
        (pod,) = self.pods()
        name = next(
            each["name"] for each in pod["spec"]["containers"] if each["name"].startswith("cmp-")
        )
        return self.node.execute(pod["metadata"]["name"], name, script, namespace=NAMESPACE)


@pytest.fixture(scope="module")
def tools(pytestconfig: pytest.Config) -> Mapping[str, Path]:
    parts = (*toolchain.DEFAULT, *TOOLS, "argocd-image-scripts")
    with uncaptured(pytestconfig):
        return toolchain.ensure(parts)


@pytest.fixture(scope="module")
def cluster(
    workspace: Workspace, tools: Mapping[str, Path], engine: DockerEngine
) -> Iterator[Cluster]:
    """A real node with Argo CD as its manifests install it, and a repository with a program."""
    with ExitStack() as stack:
        registry = stack.enter_context(running_registry(workspace))
        argocd_pods.push_images(
            engine,
            registry.address,
            workspace.folder("argocd-images"),
            argocd=tools["argocd"],
            scripts=tools["argocd-image-scripts"],
        )
        node = stack.enter_context(running_node(workspace, tools, engine, registry))
        argocd_pods.install(node.api, tools["argocd-manifests"], registry=registry.address)
        repositories = workspace.folder("repositories", mode=0o755)
        url = stack.enter_context(running_git_server(node.machine, repositories))
        repository = GitRepository(repositories / "guestbook", url=f"{url}/guestbook")
        _commit_guestbook(repository, image=f"{registry.address}/redis:tests")
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": _DESTINATION}}
        node.api.apply(namespace)
        yield Cluster(node, registry, repository)


def _commit_guestbook(repository: GitRepository, *, image: str) -> None:
    """Commit the example with an image that the node can pull, and with the SDKs of our image.

    The node has no way out of its network, so nothing can be installed from a lock file.
    """
    repository.copy(ROOT / "examples" / "guestbook-python")
    program = repository.folder / "__main__.py"
    program.write_text(program.read_text().replace(_PUBLIC_IMAGE, image))
    repository.commit("guestbook", {"requirements.txt": None})


@pytest.fixture(scope="module")
def original_spec(cluster: Cluster) -> Any:
    """The repo-server's `.spec` before anything was installed."""
    return cluster.repo_server["spec"]


@pytest.fixture(scope="module")
def stack(  # noqa: PLR0917 - fixtures come by position
    cluster: Cluster,
    original_spec: Any,
    engine: DockerEngine,
    plugin_build: Build,
    build_variant: BuildVariant,
    tools: Mapping[str, Path],
    workspace: Workspace,
) -> Iterator[PulumiStack]:
    """The installer's stack, up: with an Application and a credential."""
    build_variant("python")
    plugins = workspace.folder("plugins")
    docker_build_plugin.install(engine, plugins)
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setenv("PATH", f"{plugins}:{os.environ['PATH']}")
        stack = PulumiStack(
            workspace.folder("installer"),
            tools=tools,
            kubeconfig=cluster.node.kubeconfig,
            config={
                "imageRepository": f"{cluster.registry.address}/argocd/plugin",
                "imageBuildArgs": {**plugin_build.args, "VARIANT": "python"},
                "applications": [_application(cluster.repository.url)],
            },
        )
    stack.set_secret("credentialsEnv.TOKEN", "first token")
    stack.up().require_success()
    yield stack


def _application(url: str) -> dict[str, Any]:
    return {
        "applicationName": "guestbook",
        "repoUrl": url,
        "path": ".",
        "targetRevision": "main",
        "destinationServer": "https://kubernetes.default.svc",
        "destinationNamespace": _DESTINATION,
        "stringParameters": {"stack": "dev"},
        "automated": True,
        "prune": True,
    }


@pytest.mark.usefixtures("stack")
class TestInstalled:
    def test_up_has_waited_until_the_new_pod_was_ready(self, cluster: Cluster) -> None:
        (pod,) = cluster.pods()
        states = {each["name"]: each["ready"] for each in pod["status"]["containerStatuses"]}
        assert len(states) == 2
        assert all(states.values()), states

    def test_the_application_becomes_synced_and_healthy_and_its_pods_run(
        self, cluster: Cluster
    ) -> None:
        application = Application(cluster.node.api, name="guestbook", namespace=NAMESPACE)
        application.wait_for(
            lambda app: (
                app.get("status", {}).get("sync", {}).get("status") == "Synced"
                and app["status"].get("health", {}).get("status") == "Healthy"
            ),
            what="Synced and Healthy",
            timeout=_MINUTES,
        )
        guestbook = cluster.node.api.get(
            "apps/v1", "Deployment", "guestbook-ui", namespace=_DESTINATION
        )
        assert guestbook["status"]["readyReplicas"] == 1

    def test_a_second_up_changes_nothing_and_restarts_nothing(
        self, cluster: Cluster, stack: PulumiStack
    ) -> None:
        before = [pod["metadata"]["uid"] for pod in cluster.pods()]
        revision = cluster.revision()
        stack.up("--expect-no-changes").require_success()
        assert cluster.revision() == revision
        assert [pod["metadata"]["uid"] for pod in cluster.pods()] == before


@pytest.mark.usefixtures("stack")
class TestInsideThePod:
    def test_the_sidecar_has_no_rights(self, cluster: Cluster) -> None:
        status = dict(
            line.split(":\t", 1) for line in cluster.in_sidecar("cat /proc/1/status").splitlines()
        )
        assert set(status["Uid"].split()) == {"999"}
        assert set(status["Gid"].split()) == {"999"}
        assert int(status["CapBnd"], 16) == 0
        assert status["NoNewPrivs"] == "1"
        assert status["Seccomp"] == "2"

    def test_no_token_of_the_cluster_is_mounted(self, cluster: Cluster) -> None:
        found = cluster.in_sidecar("ls /var/run/secrets/kubernetes.io 2>&1 || true")
        assert "No such file" in found

    def test_nothing_but_volumes_can_be_written_to(self, cluster: Cluster) -> None:
        folders = "/ /opt /usr /var/run/argocd"
        tried = f"for each in {folders}; do touch $each/x 2>/dev/null && echo $each; done; true"
        assert cluster.in_sidecar(tried) == ""

    @pytest.mark.xfail(strict=True, reason="the sidecar's first process is cmp-server, no init")
    def test_an_orphan_that_ends_is_buried(self, cluster: Cluster) -> None:
        cluster.in_sidecar("(sleep 0.1 &)")
        time.sleep(2)
        states = cluster.in_sidecar("cat /proc/[0-9]*/stat | cut -d' ' -f2,3")
        assert "(sleep) Z" not in states

    def test_a_socket_that_is_gone_restarts_the_container(self, cluster: Cluster) -> None:
        def restarts() -> int:
            (pod,) = cluster.pods()
            return sum(
                each["restartCount"]
                for each in pod["status"]["containerStatuses"]
                if each["name"].startswith("cmp-")
            )

        before = restarts()
        cluster.in_sidecar("rm /home/argocd/cmp-server/plugins/pulumi-*.sock")
        cluster.node.api.wait_for(
            lambda: restarts() == before + 1,
            message=lambda: "the liveness probe did not notice",
            timeout=120,
        )
        kind = "Deployment"
        rollouts.wait_until_ready(cluster.node.api, kind, REPO_SERVER, namespace=NAMESPACE)


class TestChanging:
    def test_a_credential_rolls_the_repo_server_once(
        self, cluster: Cluster, stack: PulumiStack
    ) -> None:
        before = int(cluster.revision())
        stack.set_secret("credentialsEnv.TOKEN", "second token")
        stack.up().require_success()
        assert int(cluster.revision()) == before + 1
        assert cluster.in_sidecar("printenv TOKEN").strip() == "second token"

    def test_the_plugin_yaml_rolls_the_repo_server_once(
        self, cluster: Cluster, stack: PulumiStack
    ) -> None:
        before = int(cluster.revision())
        stack.configure({"discovery": True})
        stack.up().require_success()
        assert int(cluster.revision()) == before + 1


class TestRestarts:
    """After each of them the Application converges again without help."""

    @pytest.mark.parametrize("name", ["argocd-redis", REPO_SERVER])
    def test_of_a_pod(self, cluster: Cluster, stack: PulumiStack, name: str) -> None:
        application = Application(cluster.node.api, name="guestbook", namespace=NAMESPACE)
        for pod in rollouts.pods(cluster.node.api, name, namespace=NAMESPACE):
            # It takes its whole grace period to go: cmp-server does not end at a SIGTERM.
            path = f"/api/v1/namespaces/{NAMESPACE}/pods/{pod['metadata']['name']}"
            cluster.node.api.request("DELETE", path)
        rollouts.wait_until_ready(cluster.node.api, "Deployment", name, namespace=NAMESPACE)
        application.refresh(timeout=_MINUTES)
        application.wait_until_synced(timeout=_MINUTES)

    def test_of_the_kubelet(self, cluster: Cluster, stack: PulumiStack) -> None:
        before = [pod["metadata"]["uid"] for pod in cluster.pods()]
        cluster.node.kubelet.stop()
        kubelet = cluster.node.start_kubelet()
        assert kubelet.running
        application = Application(cluster.node.api, name="guestbook", namespace=NAMESPACE)
        application.refresh(timeout=_MINUTES)
        application.wait_until_synced(timeout=_MINUTES)
        assert [pod["metadata"]["uid"] for pod in cluster.pods()] == before


class TestDestroying:
    def test_gives_back_the_old_spec_exactly_and_a_ready_repo_server(
        self, cluster: Cluster, stack: PulumiStack, original_spec: Any
    ) -> None:
        stack.destroy().require_success()
        left = cluster.repo_server["spec"]
        assert json.dumps(left, sort_keys=True) == json.dumps(original_spec, sort_keys=True)
        kind = "Deployment"
        rollouts.wait_until_ready(cluster.node.api, kind, REPO_SERVER, namespace=NAMESPACE)
