"""The examples of plugins of one's own: installed, rolled out, and rendering Applications."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests import toolchain
from tests.e2e.conftest import uncaptured
from tests.e2e.harness.api_server import INSTALLER, ApiServer
from tests.e2e.harness.argocd import DEPLOYMENT, NAMESPACE, ArgoCD
from tests.e2e.harness.image_root import ImageRoot, plugin_image
from tests.e2e.harness.pulumi_stack import ROOT, PulumiStack
from tests.e2e.installation import CONFIG, IMAGE

pytestmark = pytest.mark.long

EXAMPLES = ROOT / "examples" / "plugins"
ARGOPROJ = "argoproj.io/v1alpha1"
_PLUGIN_YAML = """\
apiVersion: argoproj.io/v1alpha1
kind: ConfigManagementPlugin
metadata: {name: argocd-lovely-plugin}
spec:
  version: v1.0
  generate: {command: [sh, -c, cat *.yaml]}
"""

Install = Callable[..., PulumiStack]


@pytest.fixture
def install(
    argocd: ArgoCD, api_server: ApiServer, tools: Mapping[str, Path], tmp_path: Path
) -> Iterator[Install]:
    """Runs an example's program; whatever it installed is gone after the test."""
    before = _spec(argocd)
    stacks: list[PulumiStack] = []

    def run(example: str, **secrets: str) -> PulumiStack:
        stack = PulumiStack(
            tmp_path / "stack",
            tools=tools,
            kubeconfig=api_server.kubeconfig(INSTALLER),
            config={"image": IMAGE, "awaitRollout": CONFIG["awaitRollout"]},
            program=EXAMPLES / example,
            library=["argocd_cmp"],
        )
        stacks.append(stack)
        for name, value in secrets.items():
            stack.set_secret(name, value)
        stack.up().require_success()
        return stack

    yield run
    argocd.stop_pod()
    for stack in stacks:
        stack.destroy().require_success()
    assert _spec(argocd) == before


@pytest.fixture(scope="module")
def image(tools: Mapping[str, Path], pytestconfig: pytest.Config) -> ImageRoot:
    """An image with a shell, Helm and kustomize."""
    with uncaptured(pytestconfig):
        kustomize = toolchain.ensure(["kustomize"])["kustomize"]
    return plugin_image(ROOT / "plugin_image", commands=[tools["helm"], kustomize])


@pytest.mark.parametrize(
    ("example", "delivered"),
    [
        ("shell-script", {"name": "colours"}),
        (
            "helm-and-kustomize",
            {"name": "of-helm-and-kustomize-colours", "labels": {"team": "shop"}},
        ),
    ],
)
def test_an_application_of_the_example_is_delivered(
    argocd: ArgoCD,
    install: Install,
    image: ImageRoot,
    example: str,
    delivered: Mapping[str, Any],
) -> None:
    outputs = install(example).outputs()
    argocd.roll_out({outputs["containerName"]: image})
    _require_delivered(argocd, outputs["pluginName"], example, delivered)


def test_a_published_image_runs_by_its_own_plugin_yaml(
    argocd: ArgoCD, install: Install, image: ImageRoot, tmp_path: Path
) -> None:
    """That image cannot be had here: another one stands in, with a plugin.yaml of that name."""
    outputs = install("published-image", gitToken="canary").outputs()
    assert outputs["pluginName"] == "argocd-lovely-plugin-v1.0"
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "plugin.yaml").write_text(_PLUGIN_YAML)
    stand_in = image.with_folder(tmp_path / "config", "/home/argocd/cmp-server/config")
    argocd.roll_out({outputs["containerName"]: stand_in})
    _require_delivered(argocd, outputs["pluginName"], "shell-script", {"name": "colours"})
    containers = _spec(argocd)["template"]["spec"]["containers"]
    (container,) = (c for c in containers if c["name"] == outputs["containerName"])
    assert container["image"] == IMAGE
    assert "canary" not in str(containers)


def _require_delivered(
    argocd: ArgoCD, plugin: str, example: str, delivered: Mapping[str, Any]
) -> None:
    repository = argocd.repository(f"of-{plugin}")
    repository.copy(EXAMPLES / example / "app")
    revision = repository.commit("app")
    application = argocd.create_application(
        f"of-{example}",
        repository=repository,
        plugin={"name": plugin},
        destination_namespace="default",
        sync_policy={"automated": {"prune": True}},
    )
    try:
        application.wait_until_synced(revision=revision)
        made = argocd.api.get("v1", "ConfigMap", delivered["name"], namespace="default")
        assert made["data"] == {"sky": "blue"}
        assert delivered.items() <= made["metadata"].items()
    finally:
        application.delete()


def _spec(argocd: ArgoCD) -> Any:
    return argocd.api.get("apps/v1", "Deployment", DEPLOYMENT, namespace=NAMESPACE)["spec"]
