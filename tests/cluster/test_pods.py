"""The whole product on a real cluster: image, push, `pulumi up`, pods, delivered programs."""

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.conftest import DESTINATION, BuildVariant
from tests.cluster.harness import docker_build_plugin, programs, rollouts
from tests.cluster.harness.argocd_pods import NAMESPACE, REPO_SERVER
from tests.cluster.harness.clusters import Cluster
from tests.cluster.harness.docker_engine import Build, DockerEngine
from tests.cluster.harness.git_pod import PublishedRepository
from tests.cluster.harness.limited_user import limited_user
from tests.e2e.harness.applications import Application
from tests.e2e.harness.kubernetes_api import Object
from tests.e2e.harness.pulumi_stack import PulumiStack
from tests.e2e.harness.workspace import Workspace

MakeStack = Callable[..., PulumiStack]

_MINUTES = 300.0
_ANY_UID = 1000680000
_RENDERS = 60
"""Enough for each process of the plugin to have ended several times."""
_NOTES = tuple(f"note-{number}" for number in range(1, 7))


@pytest.fixture(scope="module")
def original_spec(cluster: Cluster) -> Any:
    """The repo-server's `.spec` before anything was installed."""
    return cluster.repo_server["spec"]


@pytest.fixture(scope="module")
def plugins(engine: DockerEngine, workspace: Workspace) -> Iterator[None]:
    """The plugin of the image resource, on PATH."""
    folder = workspace.folder("plugins")
    docker_build_plugin.install(engine, folder)
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
        yield


@pytest.fixture(scope="module")
def stack(  # noqa: PLR0917 - fixtures come by position
    cluster: Cluster,
    repository: PublishedRepository,
    original_spec: Any,
    plugin_build: Build,
    build_variant: BuildVariant,
    plugins: None,
    tools: Mapping[str, Path],
    workspace: Workspace,
) -> Iterator[PulumiStack]:
    """The installer's stack, up: with Applications and a credential.

    The image's layers that need the network, and perhaps this machine's certificates for it,
    are in the engine's cache by then.
    """
    build_variant("python")
    image_args = {**plugin_build.args, "VARIANT": "python"}
    stack = PulumiStack(
        workspace.folder("installer"),
        tools=tools,
        kubeconfig=cluster.kubectl.kubeconfig,
        config={
            "imageRepository": f"{cluster.registry}/argocd-plugin-tests/plugin",
            "imageBuildArgs": image_args,
            "memoryLimit": "1Gi",
            # What fails is noticed sooner than by default.
            "livenessPeriodSeconds": 5,
            "applications": [
                _application("guestbook", repository.url, "guestbook"),
                *(_application(name, repository.url, "note", {"name": name}) for name in _NOTES),
            ],
        },
    )
    stack.set_secret("credentialsEnv.TOKEN", "first token")
    stack.up().require_success()
    yield stack
    stack.destroy().require_success()


def _application(
    name: str, url: str, path: str, config: Mapping[str, str] | None = None
) -> dict[str, Any]:
    return {
        "applicationName": name,
        "repoUrl": url,
        "path": path,
        "targetRevision": "main",
        "destinationServer": "https://kubernetes.default.svc",
        "destinationNamespace": DESTINATION,
        "stringParameters": {"stack": "dev"},
        "mapParameters": {"config": dict(config or {})},
        "automated": True,
        "prune": True,
    }


@pytest.fixture
def applications(cluster: Cluster, stack: PulumiStack) -> list[Application]:
    """All that the stack has registered."""
    return [
        Application(cluster.api, name=name, namespace=NAMESPACE) for name in ("guestbook", *_NOTES)
    ]


def _healthy(app: Object) -> bool:
    status = app.get("status", {})
    health = status.get("health", {}).get("status")
    return bool(status.get("sync", {}).get("status") == "Synced" and health == "Healthy")


class TestInstalled:
    def test_up_has_waited_until_the_new_pod_was_ready(
        self, cluster: Cluster, stack: PulumiStack
    ) -> None:
        (pod,) = cluster.pods()
        states = {each["name"]: each["ready"] for each in pod["status"]["containerStatuses"]}
        assert len(states) == 2
        assert all(states.values()), states

    def test_the_applications_become_synced_and_healthy_and_their_pods_run(
        self, cluster: Cluster, applications: list[Application]
    ) -> None:
        for application in applications:
            application.wait_for(_healthy, what="Synced and Healthy", timeout=_MINUTES)
        guestbook = cluster.api.get("apps/v1", "Deployment", "guestbook-ui", namespace=DESTINATION)
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
        assert status["Name"] == "tini"
        assert set(status["Uid"].split()) == {"999"}
        assert set(status["Gid"].split()) == {"999"}
        assert int(status["CapBnd"], 16) == 0
        assert status["NoNewPrivs"] == "1"
        assert status["Seccomp"] == "2"

    @pytest.mark.own_node
    def test_the_namespace_admits_no_pod_that_is_not_restricted(self, cluster: Cluster) -> None:
        labels = cluster.api.get("v1", "Namespace", NAMESPACE)["metadata"]["labels"]
        assert labels["pod-security.kubernetes.io/enforce"] == "restricted"

    def test_no_token_of_the_cluster_is_mounted(self, cluster: Cluster) -> None:
        found = cluster.in_sidecar("ls /var/run/secrets/kubernetes.io 2>&1 || true")
        assert "No such file" in found

    def test_nothing_but_volumes_can_be_written_to(self, cluster: Cluster) -> None:
        folders = "/ /opt /usr /var/run/argocd"
        tried = f"for each in {folders}; do touch $each/x 2>/dev/null && echo $each; done; true"
        assert cluster.in_sidecar(tried) == ""

    def test_after_many_renders_there_are_no_zombies(
        self, cluster: Cluster, applications: list[Application]
    ) -> None:
        cluster.in_sidecar("(sleep 0.1 &)")
        _refresh_until_rendered(cluster, applications, _RENDERS)
        states = cluster.in_sidecar("cat /proc/[0-9]*/stat | cut -d' ' -f2,3")
        assert " Z" not in states

    @pytest.mark.parametrize("program", programs.MISBEHAVING)
    def test_a_render_that_takes_too_much_memory_is_stopped_and_the_plugin_goes_on(
        self,
        cluster: Cluster,
        repository: PublishedRepository,
        applications: list[Application],
        program: str,
    ) -> None:
        before = cluster.sidecar_restarts()
        application = Application(cluster.api, name=program, namespace=NAMESPACE)
        cluster.api.apply(_bare_application(program, repository.url))
        try:
            application.wait_for(
                lambda app: bool(app.get("status", {}).get("conditions")), what="refused"
            )
            message = application.conditions()["ComparisonError"]
        finally:
            application.delete()
        assert "memory limit" in message, message
        assert cluster.sidecar_restarts() == before
        applications[0].refresh()
        assert applications[0].conditions() == {}

    @pytest.mark.parametrize(
        "trouble",
        [
            "rm /home/argocd/cmp-server/plugins/pulumi-*.sock",
            "kill -STOP $(grep -l argocd-cmp-serv /proc/[0-9]*/comm | cut -d/ -f3)",
        ],
        ids=["is-gone", "does-not-answer"],
    )
    def test_a_socket_that_fails_restarts_the_container(
        self, cluster: Cluster, trouble: str
    ) -> None:
        before = cluster.sidecar_restarts()
        cluster.in_sidecar(trouble)
        cluster.api.wait_for(
            lambda: cluster.sidecar_restarts() == before + 1,
            message=lambda: "the liveness probe did not notice",
            timeout=300,
        )
        # The Deployment may not have heard of it yet.
        cluster.api.wait_for(
            cluster.sidecar_is_ready, message=lambda: "it does not come up", timeout=300
        )


def _renders(cluster: Cluster) -> int:
    """How many renders the plugin's container has been asked for."""
    return cluster.sidecar_logs().count("Generating manifests with")


def _refresh_until_rendered(
    cluster: Cluster, applications: list[Application], renders: int
) -> None:
    """Refresh all until the plugin's container has been asked for that many renders.

    Some of the first may still have gone to the pod that this one replaces.
    """
    while _renders(cluster) < renders:
        _refresh_all(applications)


def _refresh_all(applications: list[Application]) -> None:
    """Render every Application again, all at once."""
    refresh = {"metadata": {"annotations": {"argocd.argoproj.io/refresh": "hard"}}}
    for application in applications:
        application.patch(refresh)
    for application in applications:
        application.wait_for(
            lambda app: "argocd.argoproj.io/refresh" not in app["metadata"].get("annotations", {}),
            what="done with a hard refresh",
        )


def _bare_application(name: str, url: str) -> dict[str, Any]:
    parameters = [{"name": "stack", "string": "dev"}]
    source = {
        "repoURL": url,
        "path": name,
        "targetRevision": "main",
        "plugin": {"name": "pulumi-v1.0", "parameters": parameters},
    }
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {
            "project": "default",
            "source": source,
            "destination": {
                "server": "https://kubernetes.default.svc",
                "namespace": DESTINATION,
            },
        },
    }


class TestChanging:
    def test_a_credential_rolls_the_repo_server_once(
        self, cluster: Cluster, stack: PulumiStack
    ) -> None:
        before = cluster.revision()
        stack.set_secret("credentialsEnv.TOKEN", "second token")
        stack.up().require_success()
        assert cluster.revision() == before + 1
        assert cluster.in_sidecar("printenv TOKEN").strip() == "second token"

    def test_the_plugin_yaml_rolls_the_repo_server_once(
        self, cluster: Cluster, stack: PulumiStack
    ) -> None:
        before = cluster.revision()
        stack.configure({"discovery": True})
        stack.up().require_success()
        assert cluster.revision() == before + 1

    def test_the_image_rolls_the_repo_server_once(
        self, cluster: Cluster, stack: PulumiStack, plugin_build: Build
    ) -> None:
        before, image = cluster.revision(), stack.outputs()["image"]
        args = {**plugin_build.args, "VARIANT": "python", "REVISION": "another"}
        stack.configure({"imageBuildArgs": args})
        stack.up().require_success()
        assert cluster.revision() == before + 1
        assert stack.outputs()["image"] != image


class TestAUidOfTheClustersChoice:
    """As on OpenShift: the pod, and no container, says who runs, and it is nobody with a name."""

    @pytest.fixture
    def chosen(self, cluster: Cluster, stack: PulumiStack) -> Iterator[None]:
        """The pod runs as that user; afterwards as the image's again, and the plugin as before."""
        _run_as(cluster, {"runAsUser": _ANY_UID, "runAsGroup": 0})
        yield
        _run_as(cluster, None)
        stack.configure({"runAsUser": None})
        stack.up().require_success()

    @pytest.mark.usefixtures("chosen")
    def test_renders_like_any_other(
        self, cluster: Cluster, stack: PulumiStack, applications: list[Application]
    ) -> None:
        refused = stack.preview()
        assert refused.status != 0
        assert f"Fix: set it to {_ANY_UID}" in refused.output, refused.output
        stack.configure({"runAsUser": "none"})
        stack.up().require_success()
        assert cluster.in_sidecar("id -u; id -g").split() == [str(_ANY_UID), "0"]
        _refresh_until_rendered(cluster, applications, _renders(cluster) + len(applications))
        assert [app.conditions() for app in applications] == [{}] * len(applications)


def _run_as(cluster: Cluster, security_context: Mapping[str, Any] | None) -> None:
    patch = {"spec": {"template": {"spec": {"securityContext": security_context}}}}
    cluster.api.patch("apps/v1", "Deployment", REPO_SERVER, patch, namespace=NAMESPACE)


class TestRestarts:
    """After each of them, in the middle of renders, all Applications converge without help."""

    @pytest.fixture
    def revision(
        self, repository: PublishedRepository, applications: list[Application]
    ) -> Iterator[str]:
        """A new revision that is just being rendered; at the end everything is at it."""
        program = programs.NOTE.replace("first", f"at {time.time()}")
        revision = repository.commit("another note", {"note/__main__.py": program})
        for application in applications:
            application.patch({"metadata": {"annotations": {"argocd.argoproj.io/refresh": "hard"}}})
        time.sleep(1)
        yield revision
        for application in applications:
            application.wait_for(
                lambda app: _healthy(app) and app["status"]["sync"]["revision"] == revision,
                what=f"Synced at {revision} and Healthy",
                timeout=_MINUTES,
            )

    @pytest.mark.parametrize("name", ["argocd-redis", REPO_SERVER])
    def test_of_a_pod(self, cluster: Cluster, revision: str, name: str) -> None:
        for pod in rollouts.pods(cluster.api, name, namespace=NAMESPACE):
            path = f"/api/v1/namespaces/{NAMESPACE}/pods/{pod['metadata']['name']}"
            cluster.api.request("DELETE", path)
        rollouts.wait_until_ready(cluster.api, "Deployment", name, namespace=NAMESPACE)

    @pytest.mark.own_node
    def test_of_the_kubelet(self, cluster: Cluster, revision: str) -> None:
        assert cluster.node
        before = [pod["metadata"]["uid"] for pod in cluster.pods()]
        cluster.node.kubelet.stop()
        kubelet = cluster.node.start_kubelet()
        assert kubelet.running
        time.sleep(5)
        assert [pod["metadata"]["uid"] for pod in cluster.pods()] == before


class TestFailing:
    """A roll-out that fails says why, and who serves goes on serving."""

    @pytest.fixture
    def serving(
        self, cluster: Cluster, stack: PulumiStack, applications: list[Application]
    ) -> Iterator[None]:
        """The pod that serves before still does after the failed `up`; the next one mends it."""
        (old,) = cluster.pods()
        stack.configure({"rolloutSeconds": 30})
        yield
        now = cluster.api.get("v1", "Pod", old["metadata"]["name"], namespace=NAMESPACE)
        assert all(each["ready"] for each in now["status"]["containerStatuses"])
        applications[0].refresh()
        assert applications[0].conditions() == {}
        stack.configure({"env": {}, "rolloutSeconds": 600})
        stack.up().require_success()
        cluster.wait_until_ready()

    @pytest.mark.usefixtures("serving")
    def test_of_a_sidecar_that_crashes_names_the_container_and_its_last_lines(
        self, stack: PulumiStack
    ) -> None:
        stack.configure({"env": {"ARGOCD_CMP_SERVER_LOGFORMAT": "no-such-format"}})
        outcome = stack.up()
        assert outcome.status != 0
        assert "cmp-pulumi-v1-0" in outcome.output
        assert "no-such-format" in outcome.output.partition("terminated")[2], outcome.output

    @pytest.mark.usefixtures("serving")
    def test_of_an_image_that_cannot_be_pulled_names_the_image(
        self, cluster: Cluster, stack: PulumiStack
    ) -> None:
        missing = f"{cluster.registry}/argocd-plugin-tests/plugin@sha256:{'0' * 64}"
        build = ("imageRepository", "imageBuildArgs")
        with stack.changed({"imageReference": missing}, without=build):
            outcome = stack.up()
        assert outcome.status != 0
        assert "cmp-pulumi-v1-0" in outcome.output
        assert missing in outcome.output


class TestRefusals:
    """What cannot be done is said before anything is changed."""

    @pytest.fixture
    def another(
        self, cluster: Cluster, stack: PulumiStack, tools: Mapping[str, Path], tmp_path: Path
    ) -> MakeStack:
        """Makes a second installation that cannot succeed, beside the one that is there."""
        image = f"{cluster.registry}/argocd-plugin-tests/plugin@sha256:{'0' * 64}"

        def make(kubeconfig: Path = cluster.kubectl.kubeconfig, **config: Any) -> PulumiStack:
            return PulumiStack(
                tmp_path / "another",
                tools=tools,
                kubeconfig=kubeconfig,
                config={"imageReference": image, "version": "v9", **config},
            )

        return make

    @pytest.mark.parametrize("missing", ["namespace", "deployment"])
    def test_of_what_does_not_exist(
        self, cluster: Cluster, another: MakeStack, missing: str
    ) -> None:
        outcome = another(**{missing: "nowhere-at-all"}).run("up", "--yes")
        assert outcome.status != 0
        assert "nowhere-at-all" in outcome.output
        assert "does not exist" in outcome.output or "not found" in outcome.output
        assert _left_of_v9(cluster) == []

    def test_of_an_account_without_a_right(
        self, cluster: Cluster, another: MakeStack, tmp_path: Path
    ) -> None:
        rules = [
            {"apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["get"]},
            {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["*"]},
        ]
        with limited_user(cluster, rules, tmp_path) as kubeconfig:
            outcome = another(kubeconfig).up()
        assert outcome.status != 0
        assert "patch deployments.apps" in outcome.output, outcome.output
        assert _left_of_v9(cluster) == []


def _left_of_v9(cluster: Cluster) -> list[str]:
    containers = cluster.repo_server["spec"]["template"]["spec"]["containers"]
    names = [each["name"] for each in containers]
    names += [
        each["metadata"]["name"]
        for each in cluster.api.list("v1", "ConfigMap", namespace=NAMESPACE)
    ]
    return [name for name in names if "v9" in name]


class TestDestroying:
    def test_gives_back_the_old_spec_exactly_and_a_ready_repo_server(
        self, cluster: Cluster, stack: PulumiStack, original_spec: Any
    ) -> None:
        stack.destroy().require_success()
        left = cluster.repo_server["spec"]
        assert json.dumps(left, sort_keys=True) == json.dumps(original_spec, sort_keys=True)
        cluster.wait_until_ready()
