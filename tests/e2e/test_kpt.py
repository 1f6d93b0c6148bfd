"""Argo CD delivers kpt packages by the installed plugin, as a sidecar and as a Service."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from plugin_image import contract
from tests import toolchain
from tests.e2e.conftest import uncaptured
from tests.e2e.harness import repo_server
from tests.e2e.harness.api_server import ApiServer
from tests.e2e.harness.applications import Application
from tests.e2e.harness.argocd import ArgoCD
from tests.e2e.harness.certificates import Authority
from tests.e2e.harness.cluster_dns import running_cluster_dns
from tests.e2e.harness.git_repository import GitRepository
from tests.e2e.harness.image_root import ImageRoot, kpt_image
from tests.e2e.harness.pulumi_stack import ROOT
from tests.e2e.harness.workspace import Workspace
from tests.e2e.installation import IMAGE
from tests.e2e.test_service_mode import AUTOMATED, Parts
from tests.toolchain import KPT_FUNCTIONS

pytestmark = pytest.mark.long

PROGRAM = Path(__file__).parent / "testdata" / "kpt_plugin.py"
EXAMPLE = ROOT / "examples" / "guestbook-kpt"
SERVICE = "cmp-kpt-v1-0"
NAMESPACE = "guestbook-kpt"
"""Where the example's own function puts its objects."""


@pytest.fixture(scope="module")
def parts(
    argocd: ArgoCD, api_server: ApiServer, workspace: Workspace, tools: Mapping[str, Path]
) -> Iterator[Parts]:
    with running_cluster_dns() as dns:
        yield Parts(argocd, api_server, workspace, tools, dns, Authority("the tests"))


@pytest.fixture(scope="module")
def image(pytestconfig: pytest.Config) -> ImageRoot:
    with uncaptured(pytestconfig):
        built = toolchain.ensure(["kpt", *KPT_FUNCTIONS])
    functions = [built[name] for name in KPT_FUNCTIONS]
    return kpt_image(ROOT / "plugin_image", kpt=built["kpt"], functions=functions)


def test_a_package_is_delivered_alike_in_both_modes(parts: Parts, image: ImageRoot) -> None:
    parts.write_server_secret("kpt-server", SERVICE)
    parts.write_client_secret("kpt-client")
    before = parts.objects()
    config = {"image": IMAGE, "awaitRollout": False, "nameservers": [parts.dns.address]}
    stack = parts.stack("kpt", config, program=PROGRAM)
    pods = parts.pods(SERVICE, image)
    repository = parts.argocd.repository("kpt")
    repository.copy(EXAMPLE)
    revision = repository.commit("guestbook")
    made: list[Application] = []
    rendered = []
    try:
        for mode in ("sidecar", "service"):
            stack.configure({"mode": mode})
            stack.up().require_success()
            outputs = stack.outputs()
            if mode == "service":
                pods.start()
            sidecar = image if mode == "sidecar" else parts.proxy
            parts.argocd.roll_out({outputs["containerName"]: sidecar})
            # One names the plugin, the other is discovered.
            for name, plugin in {"named": {"name": outputs["pluginName"]}, "found": None}.items():
                app = _application(parts.argocd, f"{name}-{mode}", repository, plugin)
                made.append(app)
                app.wait_until_synced(revision=revision)
                _require_delivered(parts.argocd, app, repository, revision)
                _require_error(app, repository)
                revision = repository.commit("corrected", {"Kptfile": _kptfile()})
                app.refresh()
                app.wait_until_synced(revision=revision)
                app.delete()
                made.remove(app)
            manifests = repo_server.manifests(
                parts.argocd.repo_server_port,
                application="bytes",
                repository=repository.url,
                plugin=outputs["pluginName"],
            )
            # It differs from commit to commit, and each mode has its own.
            rendered.append([text.replace(revision, "revision") for text in manifests])
        assert rendered[0] == rendered[1]
        assert len(rendered[0]) == 2
    finally:
        for app in made:
            app.delete()
        parts.argocd.stop_pod()
        pods.stop()
        stack.destroy().require_success()
    assert parts.objects() == before


def _application(
    argocd: ArgoCD, name: str, repository: GitRepository, plugin: Mapping[str, str] | None
) -> Application:
    return argocd.create_application(
        name,
        repository=repository,
        plugin=plugin,
        destination_namespace=NAMESPACE,
        sync_policy={**AUTOMATED, "syncOptions": ["CreateNamespace=true"]},
    )


def _require_delivered(
    argocd: ArgoCD, app: Application, repository: GitRepository, revision: str
) -> None:
    deployment = argocd.api.get("apps/v1", "Deployment", "guestbook-ui", namespace=NAMESPACE)
    assert deployment["spec"]["replicas"] == 2, "the setter was not applied"
    said = deployment["metadata"]["annotations"]
    origin = dict.fromkeys(f"argocd.example.org/{name}" for name in contract.KPT_ANNOTATIONS)
    assert {name: said.get(name) for name in origin} == {
        "argocd.example.org/app": app.name,
        "argocd.example.org/revision": revision,
        "argocd.example.org/repository": repository.url,
        "argocd.example.org/branch": "main",
        "argocd.example.org/path": ".",
    }


def _require_error(app: Application, repository: GitRepository) -> None:
    broken = _kptfile().replace("set-namespace:v0.4.1", "set-labels:v0.2.0")
    repository.commit("broken", {"Kptfile": broken})
    app.refresh()
    error = app.conditions()["ComparisonError"]
    assert "the function image 'gcr.io/kpt-fn/set-labels:v0.2.0' in Kptfile" in error
    assert ", ".join(KPT_FUNCTIONS) in error


def _kptfile() -> str:
    return (EXAMPLE / "Kptfile").read_text()
