"""Several plugins next to one repo-server, of one stack and of two: none is another's business."""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests import toolchain
from tests.e2e.conftest import uncaptured
from tests.e2e.harness.api_server import INSTALLER, ApiServer
from tests.e2e.harness.applications import Application
from tests.e2e.harness.argocd import DEPLOYMENT, NAMESPACE, ArgoCD
from tests.e2e.harness.git_repository import PACKAGES
from tests.e2e.harness.image_root import ImageRoot, plugin_image
from tests.e2e.harness.kubernetes_api import Object
from tests.e2e.harness.manifest_works import make_hub
from tests.e2e.harness.pulumi_stack import ROOT, PulumiStack
from tests.e2e.installation import IMAGE
from tests.toolchain import KPT_FUNCTIONS

pytestmark = pytest.mark.long

PROGRAM = Path(__file__).parent / "testdata" / "several_plugins.py"
FUNCTIONS = "/opt/renderer/functions"
CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: of-cat}\n"
AUTOMATED = {"automated": {"prune": True, "selfHeal": True}}


@dataclass
class Installed:
    """A stack, and which plugins it has at the moment."""

    stack: PulumiStack
    plugins: list[str]

    def install(self, *plugins: str) -> None:
        self.plugins = [*plugins]
        self.stack.configure({"installed": self.plugins})
        self.stack.up().require_success()
        self.stack.up("--expect-no-changes").require_success()

    def containers(self) -> Sequence[str]:
        return [str(name) for name in self.stack.outputs().get("containers", [])]


@pytest.fixture
def stacks(
    argocd: ArgoCD, api_server: ApiServer, tools: Mapping[str, Path], tmp_path: Path
) -> Iterator[tuple[Installed, Installed]]:
    """Two stacks of the same program. Whatever they installed is gone after the test."""
    made = [
        PulumiStack(
            tmp_path / name,
            tools=tools,
            kubeconfig=api_server.kubeconfig(INSTALLER),
            config={"image": IMAGE, "installed": []},
            program=PROGRAM,
        )
        for name in ("one", "other")
    ]
    yield Installed(made[0], []), Installed(made[1], [])
    argocd.stop_pod()
    for stack in made:
        stack.destroy().require_success()


@pytest.fixture
def image(pytestconfig: pytest.Config, tmp_path: Path) -> ImageRoot:
    """One image with everything that the plugins need."""
    with uncaptured(pytestconfig):
        tools = toolchain.ensure(["kpt", *KPT_FUNCTIONS])
    functions = tmp_path / "functions"
    functions.mkdir()
    for name in KPT_FUNCTIONS:
        shutil.copy(tools[name], functions / name)
    image = plugin_image(ROOT / "plugin_image", commands=[tools["kpt"]])
    return image.with_folder(functions, FUNCTIONS)


@dataclass(frozen=True)
class World:
    """Argo CD, and an Application of each plugin."""

    argocd: ArgoCD
    image: ImageRoot
    applications: Mapping[str, Application]

    def roll_out(self, *stacks: Installed) -> None:
        containers = [name for stack in stacks for name in stack.containers()]
        self.argocd.roll_out(dict.fromkeys(containers, self.image))

    def require_delivered(self, *stacks: Installed) -> None:
        """Fail unless each Application is rendered again, synced, and has what it had."""
        for name in [plugin for stack in stacks for plugin in stack.plugins]:
            status = self.applications[name].refresh()["status"]
            assert not status.get("conditions"), (name, status["conditions"])
            assert status["sync"]["status"] == "Synced", name
            assert status["resources"], name


@pytest.fixture
def world(argocd: ArgoCD, image: ImageRoot) -> Iterator[World]:
    make_hub(argocd.api, clusters=[])
    applications = {
        "pulumi-v1.0": application(argocd, "pulumi-v1.0", "guestbook-python"),
        "pulumi-v1.1": application(argocd, "pulumi-v1.1", "guestbook-python"),
        "kpt-v1.0": application(argocd, "kpt-v1.0", "guestbook-kpt"),
        "manifest-work-v1.0": application(argocd, "manifest-work-v1.0", "guestbook-manifest-work"),
        "cat-v1": application(argocd, "cat-v1", None),
    }
    yield World(argocd, image, applications)
    for one in applications.values():
        one.delete()


def application(argocd: ArgoCD, plugin: str, example: str | None) -> Application:
    name = plugin.replace(".", "-")
    repository = argocd.repository(f"several-{name}")
    if example:
        repository.copy(ROOT / "examples" / example, leave_out=PACKAGES)
    repository.commit("app", None if example else {"config-map.yaml": CONFIG_MAP})
    return argocd.create_application(
        name,
        repository=repository,
        plugin={"name": plugin},
        # That of the kpt package is part of it.
        destination_namespace=example if example == "guestbook-kpt" else name,
        sync_policy={**AUTOMATED, "syncOptions": ["CreateNamespace=true"]},
    )


def spec(argocd: ArgoCD) -> Any:
    deployment: Object = argocd.api.get("apps/v1", "Deployment", DEPLOYMENT, namespace=NAMESPACE)
    return deployment["spec"]


def test_each_comes_and_goes_and_leaves_the_others_as_they_are(
    argocd: ArgoCD, stacks: tuple[Installed, Installed], world: World
) -> None:
    before = spec(argocd)
    one, other = stacks
    one.install("pulumi-v1.0", "cat-v1")
    other.install("pulumi-v1.1", "kpt-v1.0", "manifest-work-v1.0")
    world.roll_out(one, other)
    for app in world.applications.values():
        app.wait_until_synced()
    world.require_delivered(one, other)

    # From the middle, from the end, from the beginning: the lists of the pod have an order.
    one.install("cat-v1")
    world.roll_out(one, other)
    world.require_delivered(one, other)
    other.install("pulumi-v1.1", "manifest-work-v1.0")
    one.install()
    world.roll_out(one, other)
    world.require_delivered(one, other)
    other.install()
    assert spec(argocd) == before


def test_an_upgrade_goes_by_two_versions_and_back(
    argocd: ArgoCD, stacks: tuple[Installed, Installed], world: World
) -> None:
    """As docs/installer.md has it: both versions, each Application in its own time, then one."""
    stack, _ = stacks
    app = world.applications["pulumi-v1.0"]
    stack.install("pulumi-v1.0")
    world.roll_out(stack)
    app.wait_until_synced()
    delivered = identities(argocd, app)

    for first, then in (("pulumi-v1.0", "pulumi-v1.1"), ("pulumi-v1.1", "pulumi-v1.0")):
        stack.install("pulumi-v1.0", "pulumi-v1.1")
        world.roll_out(stack)
        app.patch({"spec": {"source": {"plugin": {"name": then}}}})
        app.wait_until_synced()
        assert identities(argocd, app) == delivered, (
            f"from {first} to {then}, no object was made anew"
        )
        stack.install(then)
        world.roll_out(stack)
        assert not app.refresh()["status"].get("conditions")


def identities(argocd: ArgoCD, app: Application) -> list[tuple[str, str]]:
    """Kind and uid of each object: one that was deleted and made again has another."""
    read = argocd.api.get
    resources = app.read()["status"]["resources"]
    return sorted(
        (
            one["kind"],
            read(
                "/".join(filter(None, (one.get("group"), one["version"]))),
                one["kind"],
                one["name"],
                namespace=one.get("namespace"),
            )["metadata"]["uid"],
        )
        for one in resources
    )
