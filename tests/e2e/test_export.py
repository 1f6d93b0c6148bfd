"""What is exported brings the same pod about as the patch does, by the tools it is made for."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from components.argocd.health import CHECKS
from tests import toolchain
from tests.e2e.conftest import uncaptured
from tests.e2e.harness.api_server import INSTALLER, ApiServer
from tests.e2e.harness.argocd import DEPLOYMENT, NAMESPACE, ArgoCD
from tests.e2e.harness.kubernetes_api import (
    MERGE_PATCH,
    ConflictError,
    KubernetesApi,
    Object,
)
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
SETTINGS = "argocd-cm"
HEALTH_CHECK = f"resource.customizations.health.{CHECKS['Stack'].stem}"
OTHERS_ARGOCD = {
    "apiVersion": "argoproj.io/v1beta1",
    "kind": "ArgoCD",
    "metadata": {"name": "argocd"},
    "spec": {
        "extraConfig": {"a": "b"},
        "repo": {
            "sidecarContainers": [{"name": "vault", "image": "registry.example.com/vault:1"}],
            "volumes": [{"name": "vault", "emptyDir": {}}],
        },
    },
}

EVERY_FIELD: Mapping[str, Any] = {
    "runAsUser": "none",
    "cpuLimit": "none",
    "ephemeralStorageLimit": "1024Mi",
    "livenessTimeoutSeconds": 30,
    "imagePullSecrets": ["registry"],
    "envValueFrom": {
        "NODE": {"fieldRef": {"fieldPath": "spec.nodeName"}},
        "MOST": {"resourceFieldRef": {"resource": "limits.memory"}},
    },
    "existingSecrets": [
        {"name": "git", "env": {"GIT": "token"}, "files": {"netrc": "login"}},
        {"name": "cloud", "files": {"cloud": "key"}},
    ],
}
"""What a sidecar may have besides."""

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
    stack.up("--expect-no-changes").require_success()
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


def settings(argocd: ArgoCD) -> Any:
    return argocd.api.get("v1", "ConfigMap", SETTINGS, namespace=NAMESPACE).get("data")


def one(objects: Sequence[Object], kind: str, name: str) -> Object:
    (found,) = (o for o in objects if (o["kind"], o["metadata"]["name"]) == (kind, name))
    return found


class TestKustomize:
    @pytest.mark.parametrize("mode", [EVERY_FIELD, SERVICE], ids=["sidecar", "service"])
    def test_gives_argo_cds_own_manifests_the_pod_of_the_patch(
        self,
        argocd: ArgoCD,
        stack: PulumiStack,
        export: Export,
        build: Build,
        mode: Mapping[str, Any],
    ) -> None:
        before = repo_server(argocd)["spec"], settings(argocd)
        component = export("kustomize", healthChecks=["Stack"], **mode)
        assert (repo_server(argocd)["spec"], settings(argocd)) == before, "nothing is patched"
        objects = build(component)
        deployment = one(objects, "Deployment", DEPLOYMENT)
        entries = one(objects, "ConfigMap", SETTINGS)["data"]
        assert entries[HEALTH_CHECK] == CHECKS["Stack"].read_text()
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

    def test_is_no_silent_miss_where_the_deployment_has_another_name(
        self, export: Export, build: Build
    ) -> None:
        with pytest.raises(subprocess.CalledProcessError) as failed:
            build(export("kustomize", deployment="cd-repo-server"))
        assert b"nothing selected by Deployment" in failed.value.stderr


class TestOperator:
    def test_its_api_takes_every_field_beside_what_others_have(
        self, argocd: ArgoCD, export: Export, more_tools: Mapping[str, Path]
    ) -> None:
        _serve_argocds(argocd.api, more_tools["argocd-operator-crds"] / "argocds.yaml")
        argocd.api.create(OTHERS_ARGOCD, namespace=NAMESPACE)
        before = read_argocd(argocd)
        folder = export("operator", healthChecks=["Stack"])
        patch = merge(folder, before)
        found = patch_argocd(argocd, patch)
        repo = found["spec"]["repo"]
        names = [container["name"] for container in repo["sidecarContainers"]]
        assert names == ["vault", "cmp-pulumi-v1-0"]
        fields = yaml.safe_load((folder / "argocd.yaml").read_text())["spec"]
        assert repo["sidecarContainers"] == [
            *before["spec"]["repo"]["sidecarContainers"],
            *fields["repo"]["sidecarContainers"],
        ]
        assert repo["volumes"] == [*before["spec"]["repo"]["volumes"], *fields["repo"]["volumes"]]
        assert found["spec"]["extraConfig"] == {"a": "b", **fields["extraConfig"]}
        with pytest.raises(ConflictError):
            patch_argocd(argocd, patch)
        after = patch_argocd(argocd, merge(folder, found, "--remove"))
        assert after["spec"] == before["spec"]


def merge(folder: Path, theirs: Object, *options: str) -> Object:
    """What a user pipes into `kubectl patch`."""
    command = [sys.executable, "-m", "components.export.merge", str(folder), *options]
    text = json.dumps(theirs)
    done = subprocess.run(command, input=text, text=True, cwd=ROOT, check=True, capture_output=True)
    patch: Object = yaml.safe_load(done.stdout)
    return patch


def read_argocd(argocd: ArgoCD) -> Object:
    return argocd.api.get("argoproj.io/v1beta1", "ArgoCD", "argocd", namespace=NAMESPACE)


def patch_argocd(argocd: ArgoCD, patch: Object) -> Object:
    path = f"/apis/argoproj.io/v1beta1/namespaces/{NAMESPACE}/argocds/argocd"
    strictly = {"fieldValidation": "Strict"}
    return argocd.api.request("PATCH", path, patch, media=MERGE_PATCH, query=strictly)


def _serve_argocds(api: KubernetesApi, crd: Path) -> None:
    definition = yaml.safe_load(crd.read_bytes())
    # The operator itself converts between versions; here is only one.
    definition["spec"].pop("conversion", None)
    api.apply(definition)
    api.wait_for(
        lambda: api.serves("argoproj.io/v1beta1", "ArgoCD"),
        message=lambda: "the API server does not serve ArgoCD",
    )
