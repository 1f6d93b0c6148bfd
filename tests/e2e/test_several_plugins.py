"""Several plugins of two stacks, and a sidecar of somebody else, next to one repo-server.

None is another's business, whatever comes, goes, or is changed behind their backs.
"""

import copy
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
FOREIGN = "audit"
AUDIT_2 = "registry.example.com/audit:2"


@dataclass
class Installed:
    """A stack, and which plugins it has at the moment."""

    stack: PulumiStack
    plugins: list[str]

    def install(self, *plugins: str) -> None:
        """Install these and no others, with drift as it is by default."""
        self.plugins = [*plugins]
        self.stack.configure({"installed": self.plugins, "onDrift": None})
        self.stack.up().require_success()

    def require_unchanged(self) -> None:
        self.stack.up("--expect-no-changes").require_success()

    def put_back(self) -> None:
        self.stack.configure({"onDrift": "restore"})
        self.stack.up().require_success()

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
        if stack.has_changed_something:
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
        self.argocd.roll_out(dict.fromkeys([*containers, FOREIGN], self.image))

    def require_delivered(self, *names: str) -> None:
        """Fail unless each Application is rendered again, synced, and has what it had."""
        for name in names:
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


@pytest.fixture
def foreign(argocd: ArgoCD) -> Iterator[None]:
    """A sidecar and a pull secret of Argo CD's owner, while the test runs."""
    before = pod(argocd)
    sidecar = {
        "name": FOREIGN,
        "image": "registry.example.com/audit:1",
        "command": ["tail", "-f", "/dev/null"],
        "volumeMounts": [{"name": FOREIGN, "mountPath": "/audit"}],
    }
    change(
        argocd,
        {
            "containers": [*before["containers"], sidecar],
            "volumes": [*before["volumes"], {"name": FOREIGN, "emptyDir": {}}],
            "imagePullSecrets": [{"name": "of-argocd"}],
        },
    )
    yield
    own = {key: without_foreign(pod(argocd)[key]) for key in ("containers", "volumes")}
    change(argocd, {**own, "imagePullSecrets": None})


def without_foreign(parts: Sequence[Object]) -> list[Object]:
    return [part for part in parts if part["name"] != FOREIGN]


def pod(argocd: ArgoCD) -> Object:
    """The spec of the repo-server's pods, for the test to change as it likes."""
    found = argocd.api.get("apps/v1", "Deployment", DEPLOYMENT, namespace=NAMESPACE)
    spec: Object = copy.deepcopy(found["spec"]["template"]["spec"])
    return spec


def change(argocd: ArgoCD, fields: Mapping[str, Any]) -> None:
    """Change the spec of the repo-server's pods, as its owner or anybody else might."""
    patch = {"spec": {"template": {"spec": fields}}}
    argocd.api.patch("apps/v1", "Deployment", DEPLOYMENT, patch, namespace=NAMESPACE)


def spec(argocd: ArgoCD) -> Any:
    deployment: Object = argocd.api.get("apps/v1", "Deployment", DEPLOYMENT, namespace=NAMESPACE)
    return deployment["spec"]


def pull_secrets(argocd: ArgoCD) -> set[str]:
    return {secret["name"] for secret in pod(argocd)["imagePullSecrets"]}


def named(parts: Sequence[Object], name: str) -> Any:
    return next(part for part in parts if part["name"] == name)


def test_each_comes_drifts_and_goes_and_leaves_the_others_as_they_are(
    argocd: ArgoCD, foreign: None, stacks: tuple[Installed, Installed], world: World
) -> None:
    before = spec(argocd)
    one, other = stacks
    one.install("pulumi-v1.0", "pulumi-v1.1", "cat-v1")
    other.install("kpt-v1.0", "manifest-work-v1.0")
    one.require_unchanged()
    other.require_unchanged()
    assert pull_secrets(argocd) == {"of-argocd", "shared", "own"}
    world.roll_out(one, other)
    for app in world.applications.values():
        # Argo CD keeps an error that came three times, from before the plugin was there.
        app.refresh()
        app.wait_until_synced()
    world.require_delivered(*world.applications)
    follow_an_upgrade_and_the_way_back(argocd, world.applications["pulumi-v1.0"])

    drift_is_found_and_put_back(argocd, one, other)
    # The owner of the foreign sidecar has changed that, too.
    named(before["template"]["spec"]["containers"], FOREIGN)["image"] = AUDIT_2

    # From the beginning, the middle and the end: the lists of the pod have an order.
    one.install("pulumi-v1.1")
    other.install("manifest-work-v1.0")
    assert pull_secrets(argocd) == {"of-argocd", "shared"}, "another plugin still names it"
    one.require_unchanged()
    other.require_unchanged()
    world.roll_out(one, other)
    world.require_delivered(*one.plugins, *other.plugins, "pulumi-v1.0")
    one.stack.destroy().require_success()
    other.stack.destroy().require_success()
    assert spec(argocd) == before


def follow_an_upgrade_and_the_way_back(argocd: ArgoCD, app: Application) -> None:
    """As docs/installer.md has it: with both versions there, the Application names the other."""
    delivered = identities(argocd, app)
    for plugin in ("pulumi-v1.1", "pulumi-v1.0", "pulumi-v1.1"):
        app.patch({"spec": {"source": {"plugin": {"name": plugin}}}})
        app.refresh()
        app.wait_until_synced()
        assert identities(argocd, app) == delivered, f"to {plugin}, an object was made anew"


def drift_is_found_and_put_back(argocd: ArgoCD, one: Installed, other: Installed) -> None:
    """Somebody changes plugins of both stacks, and the sidecar that is of neither."""
    installed, live = spec(argocd), pod(argocd)
    _, container, _ = one.containers()
    kpt, _ = other.containers()
    fields = change_each_kind_of_field(live, container)
    named(live["containers"], kpt)["image"] = "registry.example.com/evil:1"
    for containers in (live["containers"], installed["template"]["spec"]["containers"]):
        named(containers, FOREIGN)["image"] = AUDIT_2
    change(argocd, live)
    drifted = spec(argocd)
    for outcome in (one.stack.preview(), one.stack.up(), one.stack.up("--refresh")):
        assert outcome.status, "drift went unnoticed"
        for field in (*fields, "(now of ", "on_drift is stop", "set it to restore"):
            assert field in outcome.output, (field, outcome.output)
        for name in (FOREIGN, kpt):
            assert f"containers[{name}]" not in outcome.output, outcome.output
    told = other.stack.preview().output
    assert f"containers[{kpt}].image (now of " in told
    assert f"containers[{container}]" not in told
    assert spec(argocd) == drifted, "nobody has asked to put it back"
    one.put_back()
    other.put_back()
    assert spec(argocd) == installed


def change_each_kind_of_field(pod: Object, container: str) -> Sequence[str]:
    """Change a plugin's container and volume; return what is to be said of each field."""
    sidecar = named(pod["containers"], container)
    volume = next(v for v in pod["volumes"] if v["name"].startswith(container) and "emptyDir" in v)
    mount = sidecar["volumeMounts"][0]
    changed, gone = sidecar["env"][0], sidecar["env"].pop(1)
    sidecar["image"] = "registry.example.com/evil:1"
    changed["value"] = "changed"
    mount["readOnly"] = not mount.get("readOnly")
    sidecar["startupProbe"]["exec"]["command"] = ["true"]
    sidecar["livenessProbe"]["exec"]["command"] = ["true"]
    sidecar["resources"]["limits"]["memory"] = "64Gi"
    volume["emptyDir"]["sizeLimit"] = "1Mi"
    of_container = (
        "image",
        f"env[{changed['name']}]",
        f"env[{gone['name']}] (gone)",
        f"volumeMounts[{mount['mountPath']}]",
        "startupProbe.exec.command",
        "livenessProbe.exec.command",
        "resources.limits.memory",
    )
    return (
        *(f"containers[{container}].{field}" for field in of_container),
        f"volumes[{volume['name']}].emptyDir.sizeLimit",
    )


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
