"""What is exported brings the same pod about as the patch does, by the tools it is made for."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests import toolchain
from tests.e2e.conftest import uncaptured
from tests.e2e.harness.api_server import INSTALLER, ApiServer
from tests.e2e.harness.argocd import DEPLOYMENT, NAMESPACE, ArgoCD
from tests.e2e.harness.kubernetes_api import KubernetesApi, Object
from tests.e2e.harness.pulumi_stack import ROOT, PulumiStack
from tests.e2e.installation import CONFIG

pytestmark = pytest.mark.long

PLUGIN: Mapping[str, Any] = {
    **CONFIG,
    "existingSecret": "credentials",
    "existingSecretEnv": ["TOKEN"],
    "passEnv": ["TOKEN"],
}
SERVICE = {
    "mode": "service",
    "certificates": "existing",
    "serverSecret": "pulumi-server",
    "clientSecret": "pulumi-client",
    "argocdImage": "quay.io/argoproj/argocd:v3.2.0",
}

Export = Callable[..., Path]
Build = Callable[[Path], list[Object]]


@pytest.fixture(scope="module")
def more_tools(pytestconfig: pytest.Config) -> Mapping[str, Path]:
    """What the exported files are made for."""
    with uncaptured(pytestconfig):
        return toolchain.ensure(("kustomize", "argocd-operator-crds"))


@pytest.fixture
def stack(
    api_server: ApiServer, tools: Mapping[str, Path], tmp_path: Path
) -> Iterator[PulumiStack]:
    kubeconfig = api_server.kubeconfig(INSTALLER)
    stack = PulumiStack(tmp_path / "stack", tools=tools, kubeconfig=kubeconfig, config=PLUGIN)
    yield stack
    stack.destroy().require_success()


@pytest.fixture
def export(stack: PulumiStack, tmp_path: Path) -> Export:
    """Exports the plugin as its users do, and returns the folder with the files."""

    def run(form: str, **config: Any) -> Path:
        folder = tmp_path / form
        with stack.changed({"exportAs": form, **config}, without=()):
            stack.up().require_success()
            files = json.dumps(stack.outputs()["files"])
        command = [sys.executable, "-m", "components.export.files", str(folder)]
        subprocess.run(command, input=files, text=True, cwd=ROOT, check=True, capture_output=True)
        return folder

    return run


@pytest.fixture
def build(tools: Mapping[str, Path], more_tools: Mapping[str, Path], tmp_path: Path) -> Build:
    """Builds Argo CD's own manifests with an exported Component, by kustomize."""

    def run(component: Path) -> list[Object]:
        base = tmp_path / "argocd"
        base.mkdir()
        manifests = tools["argocd-manifests"] / "namespace-install.yaml"
        (base / "install.yaml").write_bytes(manifests.read_bytes())
        kustomization = {"resources": ["install.yaml"], "components": [f"../{component.name}"]}
        (base / "kustomization.yaml").write_text(yaml.safe_dump(kustomization))
        command = [str(more_tools["kustomize"]), "build", str(base)]
        done = subprocess.run(command, capture_output=True, check=True)
        return [*yaml.load_all(done.stdout, yaml.CSafeLoader)]

    return run


def repo_server(argocd: ArgoCD) -> Object:
    return argocd.api.get("apps/v1", "Deployment", DEPLOYMENT, namespace=NAMESPACE)


def pod_after_patch(argocd: ArgoCD, stack: PulumiStack) -> Object:
    """The pod's template as `pulumi up` makes it."""
    stack.up().require_success()
    return comparable(repo_server(argocd))


def pod_after_update(argocd: ArgoCD, deployment: Object) -> Object:
    """The pod's template as the API server would keep it, in a dry run of an update."""
    live = repo_server(argocd)
    path = f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments/{DEPLOYMENT}"
    query = {"dryRun": "All", "fieldValidation": "Strict"}
    metadata = {"name": DEPLOYMENT, "resourceVersion": live["metadata"]["resourceVersion"]}
    return comparable(
        argocd.api.request("PUT", path, deployment | {"metadata": metadata}, query=query)
    )


def comparable(deployment: Object) -> Object:
    """The template without generated names and without an order that means nothing."""
    template: Object = deployment["spec"]["template"]
    text = json.dumps(template)
    for volume in template["spec"]["volumes"]:
        if volume["name"].startswith("cmp-") and "configMap" in volume:
            text = text.replace(volume["configMap"]["name"], "generated")
    template = json.loads(text)
    for part in ("containers", "volumes"):
        template["spec"][part].sort(key=lambda item: str(item["name"]))
    return template


class TestKustomize:
    @pytest.mark.parametrize("mode", [{}, SERVICE], ids=["sidecar", "service"])
    def test_gives_argo_cds_own_manifests_the_pod_of_the_patch(
        self,
        argocd: ArgoCD,
        stack: PulumiStack,
        export: Export,
        build: Build,
        mode: Mapping[str, str],
    ) -> None:
        before = repo_server(argocd)["spec"]
        component = export("kustomize", **mode)
        assert repo_server(argocd)["spec"] == before, "nothing is patched"
        objects = build(component)
        (deployment,) = (
            o for o in objects if (o["kind"], o["metadata"]["name"]) == ("Deployment", DEPLOYMENT)
        )
        made = {o["metadata"]["name"] for o in objects if o["kind"] == "ConfigMap"}
        volumes = deployment["spec"]["template"]["spec"]["volumes"]
        used = {
            v["configMap"]["name"]
            for v in volumes
            if v["name"].startswith("cmp-") and "configMap" in v
        }
        assert used <= made
        exported = pod_after_update(argocd, deployment)
        with stack.changed(mode, without=()):
            assert exported == pod_after_patch(argocd, stack)


class TestOperator:
    def test_its_api_takes_every_field(
        self, argocd: ArgoCD, export: Export, more_tools: Mapping[str, Path]
    ) -> None:
        _serve_argocds(argocd.api, more_tools["argocd-operator-crds"] / "argocds.yaml")
        folder = export("operator")
        fields = yaml.safe_load((folder / "argocd.yaml").read_text())
        path = f"/apis/argoproj.io/v1beta1/namespaces/{NAMESPACE}/argocds"
        resource = {"apiVersion": "argoproj.io/v1beta1", "kind": "ArgoCD"}
        query = {"dryRun": "All", "fieldValidation": "Strict"}
        kept = argocd.api.request(
            "POST", path, resource | {"metadata": {"name": "argocd"}} | fields, query=query
        )
        repo = kept["spec"]["repo"]
        assert [c["name"] for c in repo["sidecarContainers"]] == ["cmp-pulumi-v1-0"]
        assert repo["volumes"] == fields["spec"]["repo"]["volumes"]


def _serve_argocds(api: KubernetesApi, crd: Path) -> None:
    definition = yaml.safe_load(crd.read_bytes())
    # The operator itself converts between versions; here is only one.
    definition["spec"].pop("conversion", None)
    api.apply(definition)
    api.wait_for(
        lambda: api.serves("argoproj.io/v1beta1", "ArgoCD"),
        message=lambda: "the API server does not serve ArgoCD",
    )
