"""Argo CD delivers ManifestWorks to the hub, whose API server checks them by the real definition.

No managed cluster is here: what its work agent would write into a ManifestWork's status, the
tests do.
"""

import json
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests import toolchain
from tests.catalogue.manifest_work.corpus import CASES, RENDERING, Case
from tests.e2e.harness import repo_server
from tests.e2e.harness.api_server import INSTALLER, ApiServer
from tests.e2e.harness.applications import Application
from tests.e2e.harness.argocd import NAMESPACE, ArgoCD
from tests.e2e.harness.certificates import CLIENT, SERVER, Authority
from tests.e2e.harness.cluster_dns import running_cluster_dns
from tests.e2e.harness.git_repository import GitRepository
from tests.e2e.harness.image_root import ImageRoot, haproxy_image, plugin_image
from tests.e2e.harness.kubernetes_api import MERGE_PATCH, KubernetesApi, Object
from tests.e2e.harness.manifest_works import WORK, make_hub
from tests.e2e.harness.pulumi_stack import ROOT, PulumiStack
from tests.e2e.harness.service_pods import ServicePods
from tests.e2e.harness.workspace import Workspace
from tests.e2e.installation import IMAGE

pytestmark = pytest.mark.long

PROGRAM = Path(__file__).parent / "testdata" / "manifest_work.py"
SERVICE = "cmp-manifest-work-v1-0"
CLUSTERS = ("cluster1", "edge-1", "edge-2")
AUTOMATED = {"automated": {"prune": True, "selfHeal": True}}
OWN_LIMIT = 256 * 1024
"""Of all annotations of an object together; without server-side apply, a copy is in one."""
DELIVERED = (
    "a-chart-sees-the-versions-of-its-targets",
    "a-kustomization-is-wrapped",
    "a-pulumi-program-is-wrapped",
    "everything-that-ocm-offers",
    "several-clusters-get-the-same",
    "shards-come-all-at-once",
)
"""Cases that go all the way. Neither versions of the hub nor waves have a say in them."""


@dataclass(frozen=True)
class Hub:
    """Argo CD on a hub, and the plugin."""

    argocd: ArgoCD
    stack: PulumiStack
    image: ImageRoot
    plugin: str

    @property
    def api(self) -> KubernetesApi:
        return self.argocd.api

    def application(
        self, name: str, repository: GitRepository, plugin: Mapping[str, Any], path: str = "."
    ) -> Application:
        """An Application whose destination is the cluster `cluster1`."""
        return self.argocd.create_application(
            name,
            repository=repository,
            path=path,
            plugin={"name": self.plugin, **plugin},
            destination_namespace="cluster1",
            sync_policy=AUTOMATED,
        )

    def works(self, application: str) -> dict[str, Object]:
        """The ManifestWorks of an Application that are there, by cluster and name."""
        return {
            f"{work['metadata']['namespace']}/{work['metadata']['name']}": work
            for work in self.api.list(WORK, "ManifestWork")
            if _tracking_id(work).startswith(f"{application}:")
        }

    def report(self, work: Object, status: str = "True", *, behind: int = 0) -> None:
        """Write what the cluster's work agent would, of this or an earlier generation."""
        metadata = work["metadata"]
        conditions = [
            {
                "type": kind,
                "status": status,
                "reason": "Test",
                "message": f"{kind} is {status}",
                "observedGeneration": metadata["generation"] - behind,
                "lastTransitionTime": "2026-01-01T00:00:00Z",
            }
            for kind in ("Applied", "Available")
        ]
        self.api.request(
            "PATCH",
            f"{_collection(metadata['namespace'])}/{metadata['name']}/status",
            {"status": {"conditions": conditions}},
            media=MERGE_PATCH,
        )


@pytest.fixture(scope="module")
def hub(
    argocd: ArgoCD, api_server: ApiServer, workspace: Workspace, tools: Mapping[str, Path]
) -> Iterator[Hub]:
    make_hub(argocd.api, clusters=CLUSTERS)
    stack = PulumiStack(
        workspace.folder("manifest-work"),
        tools=tools,
        kubeconfig=api_server.kubeconfig(INSTALLER),
        config={"image": IMAGE},
        program=PROGRAM,
    )
    stack.up().require_success()
    outputs = stack.outputs()
    commands = toolchain.ensure(["helm", "kustomize"])
    image = plugin_image(ROOT / "plugin_image", commands=commands.values())
    argocd.roll_out({outputs["containerName"]: image})
    try:
        yield Hub(argocd, stack, image, outputs["pluginName"])
    finally:
        argocd.stop_pod()
        stack.destroy().require_success()


@pytest.mark.parametrize("case", RENDERING, ids=str)
def test_the_real_api_accepts_what_a_case_expects(hub: Hub, case: Case) -> None:
    stream = case.expected("expected.yaml")
    assert stream is not None
    for work in yaml.safe_load_all(stream):
        strictly = {"dryRun": "All", "fieldValidation": "Strict"}
        path = _collection(work["metadata"]["namespace"])
        taken = hub.api.request("POST", path, work, query=strictly)
        assert _names(taken) == _names(work)


def test_the_real_api_would_refuse_what_the_renderer_refuses(hub: Hub) -> None:
    """So that the test above shows something."""
    work = {
        "apiVersion": WORK,
        "kind": "ManifestWork",
        "metadata": {"name": "wrong", "namespace": "cluster1"},
        "spec": {"deleteOption": {"propagationPolicy": "Orphan", "ttl": 5}},
    }
    strictly = {"dryRun": "All", "fieldValidation": "Strict"}
    with pytest.raises(Exception, match="unknown field"):
        hub.api.request("POST", _collection("cluster1"), work, query=strictly)


def test_folders_charts_kustomizations_and_programs_are_delivered(hub: Hub) -> None:
    made = {}
    for case in (case for case in CASES if case.folder.name in DELIVERED):
        name, env = case.folder.name, case.env()
        repository = hub.argocd.repository(name)
        repository.copy(case.folder / "input")
        revision = repository.commit("case")
        plugin = {
            "parameters": json.loads(env.get("ARGOCD_APP_PARAMETERS", "[]")),
            "env": [
                {"name": key.removeprefix("ARGOCD_ENV_"), "value": value}
                for key, value in env.items()
                if key.startswith("ARGOCD_ENV_")
            ],
        }
        path = env.get("ARGOCD_APP_SOURCE_PATH", ".")
        made[case] = hub.application(name, repository, plugin, path), revision
    assert len(made) == len(DELIVERED)
    try:
        for case, (application, revision) in made.items():
            expected = [*yaml.safe_load_all(case.expected("expected.yaml") or "")]
            # The first waves of those with definitions wait for the work agent.
            hub.api.wait_for(
                lambda application=application, expected=expected: (  # type: ignore[misc]
                    _reported(hub, application) == len(expected)
                ),
                message=lambda case=case: f"{case} is not there: {hub.works(str(case)).keys()}",  # type: ignore[misc]
            )
            application.wait_until_synced(revision=revision)
            found = hub.works(application.name).values()
            assert _workloads(found) == _workloads(expected)
            assert application.refresh()["status"]["sync"]["status"] == "Synced"
    finally:
        for application, _ in made.values():
            application.delete()


def test_values_are_what_argo_cd_itself_reads_from_the_same_file(hub: Hub) -> None:
    case = next(case for case in CASES if case.folder.name == "values-are-read-as-argo-cd-does")
    text = (case.folder / "input" / "a.yaml").read_text()
    repository = hub.argocd.repository("values")
    native = (
        f"apiVersion: {WORK}\nkind: ManifestWork\nmetadata: {{name: native, namespace: edge-1}}\n"
        f"spec:\n  workload:\n    manifests:\n      -\n{textwrap.indent(text, ' ' * 8)}"
    )
    repository.commit("both", {"wrapped/a.yaml": text, "native/work.yaml": native})
    wrapped = hub.application("wrapped", repository, {}, "wrapped")
    by_itself = hub.argocd.create_application(
        "native",
        repository=repository,
        path="native",
        destination_namespace="edge-1",
        sync_policy=AUTOMATED,
    )
    try:
        for application in (wrapped, by_itself):
            application.wait_until_synced()
        (ours,), (theirs,) = hub.works("wrapped").values(), hub.works("native").values()
        assert ours["spec"]["workload"] == theirs["spec"]["workload"]
    finally:
        wrapped.delete()
        by_itself.delete()


def test_a_manifest_work_may_be_larger_than_annotations_and_grow(hub: Hub) -> None:
    repository = hub.argocd.repository("large")
    half = {f"{n}.yaml": _config_map(f"map-{n}", "x" * 50_000) for n in range(6)}
    revision = repository.commit("half", half)
    application = hub.application("large", repository, {})
    try:
        application.wait_until_synced(revision=revision)
        (before,) = hub.works("large").values()
        assert len(json.dumps(before["spec"])) > OWN_LIMIT
        revision = repository.commit("grown", {"more.yaml": _config_map("more", "x" * 100_000)})
        application.refresh()
        application.wait_until_synced(revision=revision)
        (after,) = hub.works("large").values()
        assert after["metadata"]["uid"] == before["metadata"]["uid"]
        assert _names(after) - _names(before) == {"more"}
    finally:
        application.delete()


def test_what_is_refused_is_told_and_changes_nothing(hub: Hub) -> None:
    repository = hub.argocd.repository("refused")
    revision = repository.commit("fine", {"a.yaml": _config_map("a", "b")})
    application = hub.application("refused", repository, {})
    try:
        application.wait_until_synced(revision=revision)
        before = hub.works("refused")
        secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: login, namespace: shop}\n"
        repository.commit("secret", {"login.yaml": f"{secret}stringData: {{p: hunter2-hunter2}}\n"})
        application.refresh()
        message = application.conditions()["ComparisonError"]
        assert "failed exit status 1: Secret 'login' (login.yaml) would be readable" in message
        assert "hunter2" not in message
        assert hub.works("refused") == before
    finally:
        application.delete()


@pytest.mark.parametrize(
    ("status", "behind", "health"),
    [("True", 0, "Healthy"), ("False", 0, "Degraded"), ("True", 1, "Progressing")],
)
def test_argo_cd_knows_whether_the_managed_cluster_has_applied_it(
    hub: Hub, status: str, behind: int, health: str
) -> None:
    name = f"reported-{health.lower()}"
    repository = hub.argocd.repository(name)
    revision = repository.commit("a", {"a.yaml": _config_map("a", "b")})
    application = hub.application(name, repository, {})
    try:
        application.wait_until_synced(revision=revision)
        (work,) = hub.works(name).values()
        hub.report(work, status, behind=behind)
        application.wait_for(
            lambda app: app["status"].get("health", {}).get("status") == health, what=health
        )
    finally:
        application.delete()


def test_objects_are_handed_over_before_they_are_given_away(hub: Hub) -> None:
    """With more shards, each object is at each moment in a ManifestWork that is applied.

    With fewer, it is Argo CD's pause between waves that lets it see that the first is not yet,
    and here it makes none.
    """
    repository = hub.argocd.repository("resharded")
    files = {f"{n}.yaml": _config_map(f"map-{n}", "b") for n in range(24)}
    revision = repository.commit("maps", files)
    everything = {f"map-{n}" for n in range(24)}
    application = hub.application("resharded", repository, {})
    try:
        application.wait_until_synced(revision=revision)
        (first,) = hub.works("resharded").values()
        hub.report(first)

        _reshard(hub, application, 4)
        _wait_for_works(hub, {"", "-shard-2", "-shard-3"})
        assert _names(hub.works("resharded")["cluster1/resharded"]) == everything
        _report_all(hub)
        _wait_for_works(hub, {"", "-shard-1", "-shard-2", "-shard-3"})
        assert _names(hub.works("resharded")["cluster1/resharded"]) == everything
        _report_all(hub)
        application.wait_until_synced()
        works = [*hub.works("resharded").values()]
        assert sum(len(_names(work)) for work in works) == len(everything)
        _report_all(hub)

        _reshard(hub, application, 1)
        hub.api.wait_for(
            lambda: _names(hub.works("resharded")["cluster1/resharded"]) == everything,
            message=lambda: "the first ManifestWork has not got everything back",
        )
        # The others may be pruned by now.
        hub.report(hub.works("resharded")["cluster1/resharded"])
        _wait_for_works(hub, {""})
        (last,) = hub.works("resharded").values()
        assert last["metadata"]["uid"] == first["metadata"]["uid"]
    finally:
        application.delete()


def test_as_a_service_the_plugin_gives_the_same_bytes(
    hub: Hub, workspace: Workspace, tools: Mapping[str, Path]
) -> None:
    """The last test here: it leaves the plugin in service mode."""
    repository = hub.argocd.repository("served")
    repository.commit("a", {"a.yaml": _config_map("a", "b")})

    def rendered() -> list[str]:
        return repo_server.manifests(
            hub.argocd.repo_server_port,
            application="served",
            repository=repository.url,
            plugin=hub.plugin,
        )

    in_sidecar = rendered()
    proxy, authority = haproxy_image(tools["haproxy"]), Authority("the tests")
    host = f"{SERVICE}.{NAMESPACE}.svc"
    for name, data in (
        ("works-server", authority.secret(SERVICE, SERVER, host=host)),
        ("works-client", authority.secret("argocd-repo-server", CLIENT)),
    ):
        metadata = {"name": name, "namespace": NAMESPACE}
        hub.api.apply(
            {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": data}
        )
    with running_cluster_dns() as dns:
        hub.stack.configure({"mode": "service", "nameservers": [dns.address]})
        hub.stack.up().require_success()
        images = {"copy-cmp-server": hub.argocd.image, SERVICE: hub.image, "proxy": proxy}
        pods = ServicePods(
            hub.api, dns, workspace, namespace=NAMESPACE, name=SERVICE, images=images
        )
        try:
            pods.start()
            hub.argocd.roll_out({hub.stack.outputs()["containerName"]: proxy})
            application = hub.application("served", repository, {})
            try:
                application.wait_until_synced()
                assert len(hub.works("served")) == 1
                assert rendered() == in_sidecar
                assert in_sidecar
            finally:
                application.delete()
        finally:
            hub.argocd.stop_pod()
            pods.stop()


def _reshard(hub: Hub, application: Application, shards: int) -> None:
    env = [{"name": "MANIFEST_WORK_SHARDS", "value": str(shards)}]
    application.patch({"spec": {"source": {"plugin": {"name": hub.plugin, "env": env}}}})
    # Argo CD was seen to miss a change that came while it compared.
    application.refresh()


def _wait_for_works(hub: Hub, suffixes: set[str]) -> None:
    wanted = {f"cluster1/resharded{suffix}" for suffix in suffixes}
    hub.api.wait_for(
        lambda: hub.works("resharded").keys() == wanted,
        message=lambda: f"there are {hub.works('resharded').keys()}",
    )


def _report_all(hub: Hub) -> None:
    for work in hub.works("resharded").values():
        hub.report(work)


def _reported(hub: Hub, application: Application) -> int:
    """How many ManifestWorks are there; their agents have applied them."""
    works = hub.works(application.name).values()
    for work in works:
        hub.report(work)
    return len(works)


def _collection(namespace: str) -> str:
    return f"/apis/{WORK}/namespaces/{namespace}/manifestworks"


def _tracking_id(work: Object) -> str:
    annotations = work["metadata"].get("annotations", {})
    return str(annotations.get("argocd.argoproj.io/tracking-id", ""))


def _names(work: Mapping[str, Any]) -> set[str]:
    return {manifest["metadata"]["name"] for manifest in work["spec"]["workload"]["manifests"]}


def _workloads(works: Any) -> list[tuple[str, Any]]:
    """Of each cluster, what its ManifestWorks hold and say."""
    specs = [
        (work["metadata"]["namespace"], json.dumps(work["spec"], sort_keys=True)) for work in works
    ]
    return sorted(specs)


def _config_map(name: str, text: str) -> str:
    metadata = f"{{name: {name}, namespace: shop}}"
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata: {metadata}\ndata: {{text: {text}}}\n"
