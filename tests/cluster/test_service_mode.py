"""A plugin with pods of its own on a real cluster: the same renders, whatever happens to them."""

import json
import textwrap
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from tests.cluster.conftest import BuildVariant
from tests.cluster.harness import renders
from tests.cluster.harness.argocd_pods import NAMESPACE, REPO_SERVER
from tests.cluster.harness.clusters import Cluster
from tests.cluster.harness.docker_engine import Build, DockerEngine
from tests.cluster.harness.git_pod import PublishedRepository
from tests.cluster.harness.limited_user import grant, limited_user
from tests.cluster.harness.plugin_pods import PluginPods
from tests.e2e.harness.applications import Application
from tests.e2e.harness.certificates import CLIENT, SERVER, Authority
from tests.e2e.harness.kubernetes_api import ApiError, Object
from tests.e2e.harness.load import DEADLINE_SECONDS, Refresh, load, timed_refresh
from tests.e2e.harness.pulumi_stack import ROOT, PulumiStack
from tests.e2e.harness.workspace import Workspace

_IMAGE = Path(__file__).parent / "harness" / "haproxy_image"
_PROGRAM = ROOT / "tests" / "e2e" / "testdata" / "two_services.py"
_DESTINATION = "service-mode"
_PORT, _METRICS = 8443, 8405
_OF_ARGO_CD = {8081, 8084}

_ANY_UID = "1000680000"
_APPLICATIONS = 6
_RENDERS = 200
_RECONCILED_SECONDS = 120
"""Within which Argo CD compares again by itself."""
_REFUSED = {"35", "52", "55", "56"}
"""What curl says of a connection that was made and then ended before an answer came."""

OBJECTS = {
    "Deployment": "apps/v1",
    "Pod": "v1",
    "ConfigMap": "v1",
    "Secret": "v1",
    "Service": "v1",
    "ServiceAccount": "v1",
    "HorizontalPodAutoscaler": "autoscaling/v2",
    "PodDisruptionBudget": "policy/v1",
    "NetworkPolicy": "networking.k8s.io/v1",
}
"""Kinds that an installation makes."""


@dataclass(frozen=True)
class Parts:
    """What every test here needs."""

    cluster: Cluster
    repository: PublishedRepository
    authority: Authority
    workspace: Workspace
    tools: Mapping[str, Path]
    images: Sequence[str]
    """The same image twice, by two digests: HAProxy, and a shell for plugins to be made of."""

    def stack(self, name: str, config: Object, **kwargs: Any) -> PulumiStack:
        given = {"kubeconfig": self.cluster.kubectl.kubeconfig} | kwargs
        folder = self.workspace.folder(name)
        config = {**self.of_service(), **config}
        return PulumiStack(folder, tools=self.tools, config=config, **given)

    def of_service(self) -> Object:
        """Options of every plugin in service mode, which no sidecar has."""
        # What the DNS of this cluster is behind, and a little more.
        return {"proxyImage": self.images[0], "drainSeconds": 8}

    def write_secrets(self, plugin: str, service: str) -> None:
        """Write new certificates: for the plugin's Service, and for the repo-server."""
        host = f"{service}.{NAMESPACE}.svc"
        secrets = {
            f"{plugin}-server": self.authority.secret(service, SERVER, host=host),
            f"{plugin}-client": self.authority.secret(REPO_SERVER, CLIENT),
        }
        for name, data in secrets.items():
            secret = {"apiVersion": "v1", "kind": "Secret", "stringData": data}
            self.cluster.api.apply({**secret, "metadata": {"name": name}}, namespace=NAMESPACE)

    def left(self) -> tuple[set[tuple[str, str]], str]:
        """What there is in Argo CD's namespace, and the repo-server's `.spec`."""
        found = {
            (kind, obj["metadata"]["name"])
            for kind, api_version in OBJECTS.items()
            for obj in self.cluster.api.list(api_version, kind, namespace=NAMESPACE)
        }
        of_installations = {each for each in found if "cmp-" in each[1] or each[0] != "Pod"}
        return of_installations, json.dumps(self.cluster.repo_server["spec"], sort_keys=True)


@pytest.fixture(scope="module")
def parts(  # noqa: PLR0917 - fixtures come by position
    cluster: Cluster,
    repository: PublishedRepository,
    engine: DockerEngine,
    plugin_build: Build,
    workspace: Workspace,
    tools: Mapping[str, Path],
) -> Parts:
    base = {name: plugin_build.args[name] for name in {"BASE_IMAGE"} & plugin_build.args.keys()}
    images = []
    for version in ("1", "2"):
        tag = f"{cluster.registry}/argocd-plugin-tests/haproxy:{version}"
        engine.build(Build(_IMAGE, tag, args={**base, "VERSION": version}))
        images.append(engine.push(tag))
    cluster.api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": _DESTINATION}})
    authority = Authority("the tests")
    return Parts(cluster, repository, authority, workspace, tools, images)


_OF_SERVICE: Final = {
    "certificates": "existing",
    "serverSecret": "pulumi-server",
    "clientSecret": "pulumi-client",
}
"""Options that no sidecar has."""


class TestTheModes:
    """One option switches, and no Application sees it."""

    @pytest.fixture
    def image(self, parts: Parts, engine: DockerEngine, build_variant: BuildVariant) -> str:
        tag = f"{parts.cluster.registry}/argocd-plugin-tests/plugin:service-mode"
        engine.run("tag", build_variant("python"), tag)
        return engine.push(tag)

    @pytest.fixture
    def stack(self, parts: Parts, image: str, tmp_path: Path) -> Iterator[PulumiStack]:
        """The installer's program, as somebody with exactly the rights that it asks for."""
        parts.write_secrets("pulumi", "cmp-pulumi-v1-0")
        before = parts.left()
        config = {
            "imageReference": image,
            **_OF_SERVICE,
            "memoryLimit": "1Gi",
            "mode": "service",
            "applications": [
                _registered("modes-guestbook", parts.repository.url, "guestbook", {}),
                *(
                    _registered(f"modes-{n}", parts.repository.url, "note", {"name": f"modes-{n}"})
                    for n in range(3)
                ),
            ],
        }
        with limited_user(parts.cluster, [], tmp_path) as kubeconfig:
            stack = parts.stack("modes", config, kubeconfig=kubeconfig)
            refused = stack.preview()
            assert refused.status != 0
            grant(parts.cluster, _asked_for(refused.output))
            yield stack
            stack.destroy().require_success()
        assert parts.left() == before

    def test_switching_while_applications_refresh_changes_no_byte_and_no_object(
        self, parts: Parts, stack: PulumiStack
    ) -> None:
        seen: list[tuple[list[str], set[tuple[str, str, str]]]] = []
        refreshes: list[Refresh] = []
        applications: list[Application] = []
        for mode in ("sidecar", "service", "sidecar"):
            options = {**parts.of_service(), **_OF_SERVICE}
            given = options if mode == "service" else dict.fromkeys(options)
            stack.configure({"mode": mode, **given})
            if applications:
                with load(applications, renders=0) as refreshed:
                    stack.up().require_success()
                refreshes += refreshed
            else:
                stack.up().require_success()
            stack.up("--expect-no-changes").require_success()
            outputs = stack.outputs()
            assert [each["mode"] for each in outputs["plugins"]] == [mode]
            applications = [_application(parts, name) for name in outputs["applications"]]
            for app in applications:
                app.wait_until_synced(timeout=_RECONCILED_SECONDS)
            rendered = renders.manifests(
                parts.cluster,
                parts.workspace,
                repository=parts.repository.url,
                path="guestbook",
                plugin=outputs["pluginName"],
            )
            seen.append((rendered, _identities(parts)))
        assert all(one == seen[0] for one in seen), "the same bytes, and the same objects"
        assert seen[0][0]
        assert len(seen[0][1]) == 5
        assert len(refreshes) > len(applications)
        assert {each.sync for each in refreshes} <= {"Synced", "Unknown"}
        assert [each for each in refreshes if each.missing] == []


@dataclass(frozen=True)
class Two:
    """Two plugins in service mode, and Applications of the first."""

    parts: Parts
    stack: PulumiStack
    cat: PluginPods
    dog: PluginPods
    applications: Sequence[Application]
    of_dog: Application
    of_helm: Application


@pytest.fixture(scope="module")
def two(parts: Parts) -> Iterator[Two]:
    cluster = parts.cluster
    for name in ("cat", "dog"):
        parts.write_secrets(name, f"cmp-{name}-v1")
    before = parts.left()
    config = {"image": parts.images[0], "dogsUser": _ANY_UID}
    stack = parts.stack("two-services", config, program=_PROGRAM)
    cat, dog = (PluginPods(cluster, f"cmp-{name}-v1") for name in ("cat", "dog"))
    _write_folders(parts.repository)
    made: list[Application] = []
    try:
        stack.up().require_success()
        stack.up("--expect-no-changes").require_success()
        cat.wait_until_ready(2)
        plugin = {"name": "cat-v1", "env": [{"name": "SECONDS", "value": "0.2"}]}
        made += [_create(parts, f"cat-{n}", plugin) for n in range(_APPLICATIONS)]
        made += [_create(parts, "dog", {"name": "dog-v1"}), _create(parts, "helm", None)]
        for app in made:
            app.wait_until_synced(timeout=_RECONCILED_SECONDS)
        *cats, of_dog, of_helm = made
        yield Two(parts, stack, cat, dog, cats, of_dog, of_helm)
    finally:
        for app in made:
            app.delete()
        stack.destroy().require_success()
    assert parts.left() == before


class TestInstalled:
    def test_one_that_scales_begins_with_its_fewest_pods(self, two: Two) -> None:
        autoscaler = two.parts.cluster.api.get(
            "autoscaling/v2", "HorizontalPodAutoscaler", two.cat.name, namespace=NAMESPACE
        )
        assert autoscaler["spec"]["minReplicas"] == 2
        assert len(two.cat.wait_until_ready(2)) == 2

    def test_a_drain_takes_one_pod_at_a_time(self, two: Two) -> None:
        first, second = two.cat.wait_until_ready(2)
        _evict(two, first)
        with pytest.raises(ApiError) as refused:
            _evict(two, second)
        assert refused.value.status == 429
        two.cat.wait_until_ready(2)

    def test_pods_of_its_own_may_run_as_anybody(self, two: Two) -> None:
        """Here as nobody with a name, and with the group that OpenShift gives such users."""
        (pod, *_) = two.dog.wait_until_ready(2)
        name = pod["metadata"]["name"]
        for container in (two.dog.name, "proxy"):
            found = two.parts.cluster.kubectl.execute(name, "id", container=container)
            assert found.startswith(f"uid={_ANY_UID} gid=0"), found
        assert timed_refresh(two.of_dog).error == ""


class TestLosingPods:
    def test_one_lost_again_and_again_leaves_every_application_synced(self, two: Two) -> None:
        lost = 0
        with load(two.applications, renders=_RENDERS) as refreshes:
            while len(refreshes) < _RENDERS:
                two.cat.lose(two.cat.wait_until_ready(2)[0])
                lost += 1
                time.sleep(2)
        two.cat.wait_until_ready(2)
        failed = [refresh for refresh in refreshes if refresh.error]
        assert lost > 1
        assert len(failed) < len(refreshes) / 4, "only what a pod was working on"
        assert max(refresh.seconds for refresh in refreshes) < DEADLINE_SECONDS
        _require_recovered(two.applications)

    @pytest.mark.own_node
    def test_without_any_there_is_an_error_at_once_and_others_go_on(self, two: Two) -> None:
        pods = two.cat.wait_until_ready(2)
        first, second, *_ = two.applications
        two.cat.scale(0)
        for pod in pods:
            two.cat.lose(pod)
        down = timed_refresh(first)
        others = [timed_refresh(other).error for other in (two.of_dog, two.of_helm)]
        two.cat.wait_until_ready(0)
        later = timed_refresh(second)
        two.cat.scale(2)
        two.cat.wait_until_ready(2)
        for refresh in (down, later):
            # Whoever had waited for somebody's time to be up would say so.
            assert 'could not find cmp-server plugin with name "cat-v1"' in refresh.error
        assert others == ["", ""]
        _require_recovered(two.applications)


def _require_recovered(applications: Sequence[Application]) -> None:
    """They are Synced once they are asked for: Argo CD tries no more after three failures.

    A Service answers a moment after its pods are ready.
    """
    deadline = time.monotonic() + _RECONCILED_SECONDS
    for app in applications:
        while (error := timed_refresh(app).error) and time.monotonic() < deadline:
            time.sleep(1)
        assert error == "", app.name
        app.wait_until_synced(timeout=_RECONCILED_SECONDS)


class TestWhoMayConnect:
    """Asked from the repo-server's own pod, so that nothing but the certificate decides."""

    def test_the_repo_server_may(self, two: Two) -> None:
        assert _answer(two, two.parts.authority.secret(REPO_SERVER, CLIENT)) == "200"

    def test_nobody_without_a_certificate(self, two: Two) -> None:
        assert _answer(two, {}) in _REFUSED

    def test_nobody_with_one_of_another_authority(self, two: Two) -> None:
        assert _answer(two, Authority("another").secret(REPO_SERVER, CLIENT)) in _REFUSED

    def test_nobody_with_one_that_has_expired(self, two: Two) -> None:
        expired = two.parts.authority.secret(REPO_SERVER, CLIENT, expired=True)
        assert _answer(two, expired) in _REFUSED

    def test_no_other_plugin(self, two: Two) -> None:
        host = f"cmp-dog-v1.{NAMESPACE}.svc"
        authority = two.parts.authority
        assert _answer(two, authority.secret("cmp-dog-v1", SERVER, host=host)) in _REFUSED
        assert _answer(two, authority.secret("cmp-dog-v1", CLIENT)) in _REFUSED
        assert _answer(two, authority.secret(REPO_SERVER, SERVER)) in _REFUSED

    def test_nobody_in_plaintext(self, two: Two) -> None:
        assert _answer(two, {}, scheme="http") in _REFUSED

    def test_nothing_else_listens(self, two: Two) -> None:
        for pods in (two.cat, two.dog):
            for pod in pods.ready():
                assert _listening(two, pod, "proxy") == {_PORT, _METRICS}
        (repo_server,) = two.parts.cluster.pods()
        assert _listening(two, repo_server, "cmp-proxy") == _OF_ARGO_CD | {_METRICS}

    def test_the_network_policy_lets_the_repo_server_connect_and_nobody_else(
        self, two: Two
    ) -> None:
        policy = two.parts.cluster.api.get(
            "networking.k8s.io/v1", "NetworkPolicy", two.cat.name, namespace=NAMESPACE
        )["spec"]
        (pod, *_), (rule,) = two.cat.ready(), policy["ingress"]
        assert policy["podSelector"]["matchLabels"].items() <= pod["metadata"]["labels"].items()
        assert [port["port"] for port in rule["ports"]] == [_PORT]
        (peer,) = rule["from"]
        (repo_server,) = two.parts.cluster.pods()
        labels = repo_server["metadata"]["labels"]
        assert peer["podSelector"]["matchLabels"].items() <= labels.items()


class TestChangesUnderLoad:
    def test_no_render_fails_while_certificates_are_exchanged(self, two: Two) -> None:
        with load(two.applications, renders=_RENDERS // 2) as refreshes:
            for _ in range(2):
                before = _workers(two)
                two.parts.write_secrets("cat", two.cat.name)
                _let_kubelets_look(two)
                _wait_for_others(two, before)
        assert [refresh.error for refresh in refreshes if refresh.error] == []

    def test_no_render_fails_while_the_image_is_rolled_out_and_pods_end_in_time(
        self, two: Two
    ) -> None:
        old = {pod["metadata"]["name"] for pod in two.cat.wait_until_ready(2)}
        two.stack.configure({"image": two.parts.images[1]})
        with load(two.applications, renders=_RENDERS // 2) as refreshes, ThreadPoolExecutor() as at:
            left = at.submit(two.cat.time_left, old)
            two.stack.up().require_success()
            left.result()
        assert [refresh.error for refresh in refreshes if refresh.error] == []
        assert min(left.result().values()) > 5, "of the time that a pod has to end"
        images = {pod["spec"]["containers"][0]["image"] for pod in two.cat.wait_until_ready(2)}
        assert images == {two.parts.images[1]}


def _registered(name: str, url: str, path: str, config: Mapping[str, str]) -> dict[str, Any]:
    """An Application as the installer registers it."""
    return {
        "applicationName": name,
        "repoUrl": url,
        "path": path,
        "targetRevision": "main",
        "destinationServer": "https://kubernetes.default.svc",
        "destinationNamespace": _DESTINATION,
        "mapParameters": {"config": dict(config)},
        "automated": True,
        "prune": True,
        "selfHeal": True,
    }


def _create(parts: Parts, name: str, plugin: Mapping[str, Any] | None) -> Application:
    """Make an Application of the folder of its name, which takes its objects along."""
    source = {"repoURL": parts.repository.url, "path": name, "targetRevision": "main"}
    parts.cluster.api.apply(
        {
            "apiVersion": "argoproj.io/v1alpha1",
            "kind": "Application",
            "metadata": {
                "name": name,
                "namespace": NAMESPACE,
                "finalizers": ["resources-finalizer.argocd.argoproj.io"],
            },
            "spec": {
                "project": "default",
                "source": {**source, **({"plugin": plugin} if plugin else {})},
                "destination": {
                    "server": "https://kubernetes.default.svc",
                    "namespace": _DESTINATION,
                },
                "syncPolicy": {"automated": {"prune": True, "selfHeal": True}},
            },
        }
    )
    return _application(parts, name)


def _application(parts: Parts, name: str) -> Application:
    return Application(parts.cluster.api, name=name, namespace=NAMESPACE)


def _write_folders(repository: PublishedRepository) -> None:
    names = [*(f"cat-{number}" for number in range(_APPLICATIONS)), "dog"]
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {}}}\n"
    files = {f"{name}/one.yaml": text.format(name) for name in names}
    files["helm/Chart.yaml"] = "apiVersion: v2\nname: chart\nversion: 0.1.0\n"
    files["helm/templates/one.yaml"] = text.format("helm")
    repository.commit("plain files and a chart", files)


def _identities(parts: Parts) -> set[tuple[str, str, str]]:
    return {
        (kind, obj["metadata"]["name"], obj["metadata"]["uid"])
        for kind, version in (("Deployment", "apps/v1"), ("Service", "v1"), ("ConfigMap", "v1"))
        for obj in parts.cluster.api.list(version, kind, namespace=_DESTINATION)
        if obj["metadata"]["name"] != "kube-root-ca.crt"
    }


def _asked_for(output: str) -> list[Object]:
    """Return the rules of the Role that an error wants somebody to apply."""
    manifest = output.partition("<<EOF\n")[2].partition("EOF\n")[0]
    rules: list[Object] = yaml.safe_load(textwrap.dedent(manifest))["rules"]
    return rules


def _evict(two: Two, pod: Object) -> None:
    metadata = {"name": pod["metadata"]["name"], "namespace": NAMESPACE}
    path = f"/api/v1/namespaces/{NAMESPACE}/pods/{metadata['name']}/eviction"
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": metadata}
    two.parts.cluster.api.request("POST", path, eviction)


def _answer(two: Two, secret: Mapping[str, str], *, scheme: str = "https") -> str:
    """Ask a pod of the plugin from that of the repo-server; return HTTP's status or curl's."""
    host = f"{two.cat.name}.{NAMESPACE}.svc"
    ip = two.cat.wait_until_ready(2)[0]["status"]["podIP"]
    files = {"authority": two.parts.authority.certificate}
    options = f"--cacert authority --resolve {host}:{_PORT}:{ip}"
    if secret:
        files |= {"certificate": secret["tls.crt"], "key": secret["tls.key"]}
        options += " --cert certificate --key key"
    writes = "".join(f"cat > {name} <<'EOF'\n{text}EOF\n" for name, text in files.items())
    ask = f"curl -s -o /dev/null -w '%{{http_code}}' --max-time 5 {options}"
    return two.parts.cluster.in_sidecar(
        f"cd /dev/shm\n{writes}"
        f"status=$({ask} {scheme}://{host}:{_PORT}/healthz) && echo $status || echo $?"
    ).strip()


def _listening(two: Two, pod: Object, container: str) -> set[int]:
    """Return the TCP ports that a pod listens on, but for those on loopback."""
    name = pod["metadata"]["name"]
    files = ("/proc/net/tcp", "/proc/net/tcp6")
    text = two.parts.cluster.kubectl.execute(name, "cat", *files, container=container)
    sockets = [line.split()[1:4] for line in text.splitlines() if "local_address" not in line]
    return {
        int(local.rpartition(":")[2], 16)
        for local, _, state in sockets
        if state == "0A" and not local.startswith("0100007F")
    }


def _workers(two: Two) -> set[str]:
    """Return when HAProxy was last loaded in each pod: the plugin's, and the repo-server's."""
    (repo_server,) = two.parts.cluster.pods()
    ask = f"curl -s http://$POD_IP:{_METRICS}/metrics | grep ^haproxy_process_start_time_seconds"
    return {
        pod["metadata"]["name"]
        + two.parts.cluster.kubectl.execute(
            pod["metadata"]["name"], "sh", "-c", ask, container=container
        )
        for pod, container in [
            (repo_server, "cmp-proxy"),
            *((pod, "proxy") for pod in two.cat.ready()),
        ]
    }


def _wait_for_others(two: Two, before: set[str]) -> None:
    two.parts.cluster.api.wait_for(
        lambda: not _workers(two) & before,
        message=lambda: "not every proxy has loaded its new certificate",
        timeout=180,
    )


def _let_kubelets_look(two: Two) -> None:
    """Make them look at the Secrets of pods now, and not within the minute that they may take."""
    (repo_server,) = two.parts.cluster.pods()
    now = {"metadata": {"annotations": {"tests/changed": str(time.time())}}}
    for pod in (repo_server, *two.cat.ready()):
        name = pod["metadata"]["name"]
        two.parts.cluster.api.patch("v1", "Pod", name, now, namespace=NAMESPACE)
