"""A plugin as a Service: the same renders, whatever happens to its pods, and to nobody else."""

import socket
import ssl
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import urllib3

from tests.e2e.harness import repo_server
from tests.e2e.harness.api_server import INSTALLER, ApiServer
from tests.e2e.harness.applications import Application
from tests.e2e.harness.argocd import DEPLOYMENT, NAMESPACE, ArgoCD
from tests.e2e.harness.certificates import CLIENT, SERVER, Authority
from tests.e2e.harness.cluster_dns import ClusterDns, running_cluster_dns
from tests.e2e.harness.git_repository import PACKAGES
from tests.e2e.harness.image_root import ImageRoot, haproxy_image, plugin_image
from tests.e2e.harness.kubernetes_api import KubernetesApi, Object
from tests.e2e.harness.load import DEADLINE_SECONDS, load, timed_refresh
from tests.e2e.harness.processes import wait_until
from tests.e2e.harness.pulumi_stack import ROOT, PulumiStack
from tests.e2e.harness.service_pods import ServicePods
from tests.e2e.harness.workspace import Workspace
from tests.e2e.installation import CONFIG, IMAGE, IMAGE_TOOLS, MakeStack

REPO_SERVER = "argocd-repo-server"
PORT, METRICS = 8443, 8405
AUTOMATED = {"automated": {"prune": True, "selfHeal": True}}
PROGRAM = Path(__file__).parent / "testdata" / "two_services.py"
ANOTHER_PROXY = Path(__file__).parent / "testdata" / "another_proxy.py"

APPLICATIONS = 8
RENDERS = 200

OBJECTS = {
    "Deployment": "apps/v1",
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

    argocd: ArgoCD
    server: ApiServer
    workspace: Workspace
    tools: Mapping[str, Path]
    dns: ClusterDns
    authority: Authority

    @property
    def proxy(self) -> ImageRoot:
        return haproxy_image(self.tools["haproxy"])

    def stack(self, name: str, config: Object, **kwargs: Any) -> PulumiStack:
        return PulumiStack(
            self.workspace.folder(name),
            tools=self.tools,
            kubeconfig=self.server.kubeconfig(INSTALLER),
            config=config,
            **kwargs,
        )

    def pods(self, name: str, image: ImageRoot) -> ServicePods:
        return ServicePods(
            self.argocd.api,
            self.dns,
            self.workspace,
            namespace=NAMESPACE,
            name=name,
            images={"copy-cmp-server": self.argocd.image, name: image, "proxy": self.proxy},
        )

    def write_server_secret(self, name: str, service: str) -> None:
        host = f"{service}.{NAMESPACE}.svc"
        self.write_secret(name, self.authority.secret(service, SERVER, host=host))

    def write_client_secret(self, name: str) -> None:
        self.write_secret(name, self.authority.secret(REPO_SERVER, CLIENT))

    def write_secret(self, name: str, data: Mapping[str, str]) -> None:
        metadata = {"name": name, "namespace": NAMESPACE}
        secret = {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": data}
        self.argocd.api.apply(secret)

    def objects(self) -> set[tuple[str, str]]:
        return {
            (kind, obj["metadata"]["name"])
            for kind, api_version in OBJECTS.items()
            for obj in self.argocd.api.list(api_version, kind, namespace=NAMESPACE)
        }


@pytest.fixture(scope="module")
def parts(
    argocd: ArgoCD,
    api_server: ApiServer,
    workspace: Workspace,
    tools: Mapping[str, Path],
) -> Iterator[Parts]:
    with running_cluster_dns() as dns:
        yield Parts(argocd, api_server, workspace, tools, dns, Authority("the tests"))


def application(
    parts: Parts, name: str, plugin: Mapping[str, Any] | None, files: Mapping[str, str]
) -> Application:
    """An Application of these files, once it is synced."""
    repository = parts.argocd.repository(name)
    revision = repository.commit("files", dict(files))
    made = parts.argocd.create_application(
        name,
        repository=repository,
        plugin=plugin,
        destination_namespace=name,
        sync_policy={**AUTOMATED, "syncOptions": ["CreateNamespace=true"]},
    )
    made.wait_until_synced(revision=revision)
    return made


def config_map(name: str) -> dict[str, str]:
    text = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n"
    return {f"{name}.yaml": text}


class TestTheModes:
    """One option switches, and no Application sees it."""

    @pytest.mark.without_node
    def test_switching_back_and_forth_changes_no_byte_and_no_object(self, parts: Parts) -> None:
        service = "cmp-pulumi-v1-0"
        parts.write_server_secret("pulumi-server", service)
        parts.write_client_secret("pulumi-client")
        before, spec = parts.objects(), _spec(parts.argocd.api)
        stack = parts.stack("modes", {**CONFIG})
        of_service = {
            "certificates": "existing",
            "serverSecret": "pulumi-server",
            "clientSecret": "pulumi-client",
            "nameservers": [parts.dns.address],
        }
        commands = (parts.tools[name] for name in IMAGE_TOOLS)
        image = plugin_image(ROOT / "plugin_image", commands=commands)
        pods = parts.pods(service, image)
        repository = parts.argocd.repository("modes")
        repository.copy(ROOT / "examples" / "guestbook-python", leave_out=PACKAGES)
        revision = repository.commit("guestbook")
        app: Application | None = None
        seen: list[tuple[set[tuple[str, str, str]], Sequence[str]]] = []
        try:
            for mode in ("sidecar", "service", "sidecar"):
                options = of_service if mode == "service" else dict.fromkeys(of_service)
                stack.configure({"mode": mode, **options})
                stack.up().require_success()
                stack.up("--expect-no-changes").require_success()
                outputs = stack.outputs()
                assert outputs["plugins"] == [
                    {"name": "pulumi-v1.0", "version": "v1.0", "mode": mode, "image": IMAGE}
                ]
                if mode == "service":
                    pods.start()
                container = outputs["containerName"]
                parts.argocd.roll_out({container: image if mode == "sidecar" else parts.proxy})
                if mode == "sidecar":
                    pods.stop()
                if app is None:
                    app = parts.argocd.create_application(
                        "modes",
                        repository=repository,
                        plugin={"name": outputs["pluginName"]},
                        destination_namespace="modes",
                        sync_policy={**AUTOMATED, "syncOptions": ["CreateNamespace=true"]},
                    )
                    app.wait_until_synced(revision=revision)
                for _ in range(3):
                    assert app.refresh()["status"]["sync"]["status"] == "Synced"
                rendered = repo_server.manifests(
                    parts.argocd.repo_server_port,
                    application="modes",
                    repository=repository.url,
                    plugin=outputs["pluginName"],
                )
                seen.append((_identities(parts.argocd.api), rendered))
            assert all(one == seen[0] for one in seen), "the same objects, and the same bytes"
            assert len(seen[0][0]) == 2
            assert seen[0][1]
        finally:
            if app is not None:
                app.delete()
            parts.argocd.stop_pod()
            pods.stop()
            stack.destroy().require_success()
        assert (parts.objects(), _spec(parts.argocd.api)) == (before, spec)


@pytest.mark.long
def test_a_plugin_that_is_to_scale_keeps_its_pods_and_those_that_the_autoscaler_adds(
    argocd: ArgoCD, make_stack: MakeStack
) -> None:
    stack = make_stack(mode="service", certificates="existing", serverSecret="a", clientSecret="b")
    name = "cmp-pulumi-v1-0"

    def pods(**config: object) -> int:
        stack.configure(config)
        stack.up().require_success()
        stack.up("--expect-no-changes").require_success()
        found = argocd.api.get("apps/v1", "Deployment", name, namespace=NAMESPACE)
        return int(found["spec"]["replicas"])

    assert pods() == 2
    assert pods(maxReplicas=4) == 2, "without a number, the API server makes it one"
    scaled = {"spec": {"replicas": 3}}
    argocd.api.patch("apps/v1", "Deployment", name, scaled, namespace=NAMESPACE)
    assert pods(concurrency=3) == 3


@dataclass(frozen=True)
class Two:
    """Two plugins in service mode, and Applications of the first."""

    parts: Parts
    stack: PulumiStack
    cat: ServicePods
    dog: ServicePods
    applications: Sequence[Application]
    of_dog: Application
    of_helm: Application


@pytest.fixture(scope="module")
def two(parts: Parts) -> Iterator[Two]:
    for name in ("cat", "dog"):
        parts.write_server_secret(f"{name}-server", f"cmp-{name}-v1")
        parts.write_client_secret(f"{name}-client")
    before, spec = parts.objects(), _spec(parts.argocd.api)
    config = {"image": IMAGE, "nameservers": [parts.dns.address], "awaitRollout": False}
    stack = parts.stack("two-services", config, program=PROGRAM)
    image = haproxy_image(parts.tools["haproxy"])
    cat, dog = parts.pods("cmp-cat-v1", image), parts.pods("cmp-dog-v1", image)
    made: list[Application] = []
    try:
        stack.up().require_success()
        stack.up("--expect-no-changes").require_success()
        cat.start(2)
        dog.start()
        parts.argocd.roll_out({stack.outputs()["containerName"]: parts.proxy})
        plugin = {"name": "cat-v1", "env": [{"name": "SECONDS", "value": "0.2"}]}
        made += [
            application(parts, f"cat-{number}", plugin, config_map("one"))
            for number in range(APPLICATIONS)
        ]
        dogs = application(parts, "dog", {"name": "dog-v1"}, config_map("one"))
        chart = {
            "Chart.yaml": "apiVersion: v2\nname: chart\nversion: 0.1.0\n",
            **{f"templates/{k}": v for k, v in config_map("one").items()},
        }
        helm = application(parts, "helm", None, chart)
        yield Two(parts, stack, cat, dog, tuple(made), dogs, helm)
        made += [dogs, helm]
    finally:
        for one in made:
            one.delete()
        parts.argocd.stop_pod()
        cat.stop()
        dog.stop()
        stack.destroy().require_success()
    assert (parts.objects(), _spec(parts.argocd.api)) == (before, spec)


@pytest.mark.long
class TestASecondProxy:
    def test_is_refused_on_a_port_that_the_first_has_and_nothing_is_rolled(self, two: Two) -> None:
        before = _spec(two.parts.argocd.api)
        stack = two.parts.stack("another-proxy", {}, program=ANOTHER_PROXY)
        for outcome in (stack.preview(), stack.up()):
            assert outcome.status != 0
            assert "PluginProxy proxy: proxy_metrics_port is 8405" in outcome.output, outcome.output
        assert _spec(two.parts.argocd.api) == before
        stack.configure({"proxyMetricsPort": METRICS + 1})
        stack.up().require_success()
        stack.up("--expect-no-changes").require_success()
        stack.destroy().require_success()
        assert _spec(two.parts.argocd.api) == before


@pytest.mark.long
def test_metrics_tell_of_renders(two: Two) -> None:
    url = f"http://{two.cat.pods[0].ip}:{METRICS}/metrics"
    metrics = urllib3.request("GET", url, timeout=60).data.decode()
    assert 'haproxy_backend_current_sessions{proxy="plugin"}' in metrics


@pytest.mark.without_node
@pytest.mark.long
class TestLosingPods:
    def test_one_killed_again_and_again_leaves_every_application_synced(self, two: Two) -> None:
        with load(two.applications, renders=RENDERS) as refreshes:
            while len(refreshes) < RENDERS:
                two.cat.kill(0)
                time.sleep(1)
                two.cat.remove_dead(0)
                two.cat.start()
                time.sleep(1)
        failed = [refresh for refresh in refreshes if refresh.error]
        assert len(failed) < len(refreshes) / 4, "only what a pod was working on"
        assert max(refresh.seconds for refresh in refreshes) < DEADLINE_SECONDS
        for app in two.applications:
            app.wait_until_synced()

    def test_without_any_there_is_an_error_at_once_and_others_go_on(self, two: Two) -> None:
        count = len(two.cat.pods)
        for number in range(count):
            two.cat.kill(number)
        app, *_ = two.applications
        try:
            down = timed_refresh(app)
            others = [timed_refresh(other).error for other in (two.of_dog, two.of_helm)]
        finally:
            for _ in range(count):
                two.cat.remove_dead(0)
        removed = timed_refresh(app)
        two.cat.start(2)
        for refresh in (down, removed):
            # Whoever had waited for somebody's time to be up would say so.
            assert 'could not find cmp-server plugin with name "cat-v1"' in refresh.error
        assert others == ["", ""]
        for one in two.applications:
            one.wait_until_synced()


@pytest.mark.without_node
@pytest.mark.long
class TestWhoMayConnect:
    def test_the_repo_server_may(self, two: Two) -> None:
        assert _answers(two, two.parts.authority.secret(REPO_SERVER, CLIENT))

    def test_nobody_without_a_certificate(self, two: Two) -> None:
        assert not _answers(two, {})

    def test_nobody_with_one_of_another_authority(self, two: Two) -> None:
        assert not _answers(two, Authority("another").secret(REPO_SERVER, CLIENT))

    def test_nobody_with_one_that_has_expired(self, two: Two) -> None:
        assert not _answers(two, two.parts.authority.secret(REPO_SERVER, CLIENT, expired=True))

    def test_no_other_plugin(self, two: Two) -> None:
        host = f"cmp-dog-v1.{NAMESPACE}.svc"
        assert not _answers(two, two.parts.authority.secret("cmp-dog-v1", SERVER, host=host))
        assert not _answers(two, two.parts.authority.secret("cmp-dog-v1", CLIENT))
        assert not _answers(two, two.parts.authority.secret(REPO_SERVER, SERVER))

    def test_nobody_in_plaintext(self, two: Two) -> None:
        with socket.create_connection((two.cat.pods[0].ip, PORT), timeout=60) as connection:
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            assert b"HTTP" not in _received(connection)

    def test_nothing_else_listens(self, two: Two) -> None:
        for running in (*two.cat.pods, *two.dog.pods):
            expected = {f"{running.ip}:{port}" for port in (PORT, METRICS)}
            assert running.pod.listening_on() == expected
        proxy = two.parts.argocd.pod()
        own = {a for a in proxy.listening_on() if not a.startswith("127.0.0.1:")}
        assert [address.rpartition(":")[2] for address in own] == [str(METRICS)]


@pytest.mark.without_node
@pytest.mark.long
class TestChangesUnderLoad:
    def test_no_render_fails_while_certificates_are_exchanged(self, two: Two) -> None:
        shown = [_shown_certificates(two)]
        with load(two.applications, renders=RENDERS // 2) as refreshes:
            for _ in range(2):
                time.sleep(2)
                two.parts.write_server_secret("cat-server", "cmp-cat-v1")
                two.parts.write_client_secret("cat-client")
                # The kubelets of different nodes see it at different times.
                two.cat.refresh_volumes()
                time.sleep(2)
                two.parts.argocd.pod().volumes.refresh()
                shown.append(_wait_for_others(two, shown[-1]))
        assert [r.error for r in refreshes if r.error] == []

    def test_no_render_fails_while_the_image_is_rolled_out(self, two: Two) -> None:
        with load(two.applications, renders=RENDERS // 2) as refreshes:
            two.stack.configure({"image": IMAGE.replace("@sha256:0", "@sha256:1")})
            two.stack.up().require_success()
            in_time = two.cat.roll()
        assert [r.error for r in refreshes if r.error] == []
        assert in_time == [True, True], "a pod that ends does not wait out its whole time"


def _answers(two: Two, secret: Mapping[str, str]) -> bool:
    """Whether a plugin's pod answers somebody who shows this certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(cadata=two.parts.authority.certificate)
    if secret:
        folder = two.parts.workspace.path / f"client-{time.monotonic_ns()}"
        folder.mkdir()
        for name, content in secret.items():
            (folder / name).write_text(content)
        context.load_cert_chain(folder / "tls.crt", folder / "tls.key")
    host = f"cmp-cat-v1.{NAMESPACE}.svc"
    try:
        with (
            socket.create_connection((two.cat.pods[0].ip, PORT), timeout=60) as plain,
            context.wrap_socket(plain, server_hostname=host) as connection,
        ):
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            return b"200" in _received(connection)
    except (ssl.SSLError, ConnectionError):
        return False


def _received(connection: socket.socket) -> bytes:
    try:
        return connection.recv(1024)
    except ConnectionError:
        return b""


def _shown_certificates(two: Two) -> list[str]:
    return [ssl.get_server_certificate((pod.ip, PORT), timeout=60) for pod in two.cat.pods]


def _wait_for_others(two: Two, before: Sequence[str]) -> list[str]:
    """Return the certificates that the pods show once each shows another one."""
    assert wait_until(lambda: not {*_shown_certificates(two)} & {*before}, timeout=300)
    return _shown_certificates(two)


def _spec(api: KubernetesApi) -> Any:
    return api.get("apps/v1", "Deployment", DEPLOYMENT, namespace=NAMESPACE)["spec"]


def _identities(api: KubernetesApi) -> set[tuple[str, str, str]]:
    return {
        (kind, obj["metadata"]["name"], obj["metadata"]["uid"])
        for kind, api_version in (("Deployment", "apps/v1"), ("Service", "v1"))
        for obj in api.list(api_version, kind, namespace="modes")
    }
