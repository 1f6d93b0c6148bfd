"""The main job on real parts: Argo CD delivers what a Git repository says in Python.

Starts an API server and Argo CD on loopback, installs the plugin with `pulumi up`, lets
Argo CD deliver the guestbook, changes it, breaks it, and takes the plugin out again.
Raises DemoError where the repo-server is not as it was before.
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.e2e.demo.display import Display
from tests.e2e.demo.errors import DemoError
from tests.e2e.harness.api_server import INSTALLER, running_api_server
from tests.e2e.harness.argocd import DEPLOYMENT, NAMESPACE, ArgoCD, running_argocd
from tests.e2e.harness.image_root import ImageRoot
from tests.e2e.harness.pulumi_stack import ROOT, PulumiStack
from tests.e2e.harness.workspace import Workspace
from tests.e2e.installation import CONFIG
from tests.toolchain.progress import Step

SERVERS = ("etcd", "kube-apiserver", "redis", "argocd-manifests", "argocd")
"""Parts that run before anything is installed."""

START = Step("Starting etcd, a Kubernetes API server and Argo CD on loopback", "", 7)
INSTALL = Step("Installing the plugin: pulumi up", "", 4)
DELIVER = Step("Argo CD delivers the guestbook, a Pulumi program in Git", "", 4)
CHANGE = Step("A commit changes the program: three replicas", "", 2)
BREAK = Step("A commit breaks the program: the objects stay, and Argo CD says why", "", 2)
REMOVE = Step("Taking the plugin out again: pulumi destroy", "", 3)

_GUESTBOOK = ROOT / "examples" / "guestbook-python"
_APPLICATION = "guestbook"


@contextmanager
def running(
    workspace: Workspace, parts: Mapping[str, Path], display: Display
) -> Iterator["Delivery"]:
    """Start an API server and Argo CD as their parts arrive, and stop them at the end."""
    begun = time.monotonic()
    with ExitStack() as stack:
        with display.step(START.name):
            server = stack.enter_context(running_api_server(workspace, parts))
            argocd = stack.enter_context(running_argocd(server, workspace, parts))
        yield Delivery(
            argocd,
            server.kubeconfig(INSTALLER),
            workspace,
            parts,
            display,
            started_after=time.monotonic() - begun,
        )


class Delivery:
    """What becomes of the guestbook in Argo CD."""

    def __init__(
        self,
        argocd: ArgoCD,
        kubeconfig: Path,
        workspace: Workspace,
        parts: Mapping[str, Path],
        display: Display,
        *,
        started_after: float,
    ) -> None:
        self._argocd = argocd
        self._kubeconfig = kubeconfig
        self._folder = workspace.folder("installer")
        self._parts = parts
        self._display = display
        self._started_after = started_after
        self._repository = argocd.repository(_APPLICATION)
        self._application = argocd.application(_APPLICATION)

    def show_started(self) -> None:
        """Show what was started, and after how many seconds it was ready."""
        self._display.heading(START.name)
        self._display.time(self._started_after)

    def show(self, image: ImageRoot) -> None:
        """Install, deliver, change, break, remove. `image` is the plugin's."""
        before = self._spec()
        self._repository.copy(_GUESTBOOK)
        # As at the desk: it runs with the packages of the image, and waits for no others.
        revision = self._repository.commit("The guestbook", {"requirements.txt": None})
        with self._section(INSTALL):
            stack = self._install(image)
        with self._section(DELIVER):
            self._delivered(revision)
        with self._section(CHANGE):
            self._delivered(self._commit("Pulumi.dev.yaml", '"1"', '"3"'))
        with self._section(BREAK):
            self._commit("__main__.py", "config.get_int", "config.get_it")
            self._refused()
        with self._section(REMOVE):
            self._argocd.stop_pod()
            stack.destroy().require_success()
            if self._spec() != before:
                raise DemoError(f"{DEPLOYMENT} is not as it was before the installation")
            self._display.line(f"{DEPLOYMENT} is exactly as it was")

    @contextmanager
    def _section(self, step: Step) -> Iterator[None]:
        self._display.heading(step.name)
        begun = time.monotonic()
        with self._display.step(step.name):
            yield
        self._display.time(time.monotonic() - begun)

    def _install(self, image: ImageRoot) -> PulumiStack:
        stack = PulumiStack(
            self._folder,
            tools=self._parts,
            kubeconfig=self._kubeconfig,
            config={**CONFIG, "applications": [_application(self._repository.url)]},
        )
        for line in stack.up().require_success().output.splitlines():
            if line.startswith(" + ") and " created" in line:
                self._display.line(line.strip(), "dim")
        outputs = stack.outputs()
        self._argocd.roll_out({outputs["containerName"]: image})
        self._display.line(f"Applications can now name the plugin {outputs['pluginName']}")
        return stack

    def _commit(self, file: str, old: str, new: str) -> str:
        """Change a file of the program in Git; returns the revision."""
        content = (_GUESTBOOK / file).read_text().replace(old, new)
        return self._repository.commit(f"{old} becomes {new}", {file: content})

    def _delivered(self, revision: str) -> None:
        self._application.refresh()
        self._application.wait_until_synced(revision=revision)
        self._show_objects()

    def _refused(self) -> None:
        self._application.refresh()
        message = self._application.conditions()["ComparisonError"]
        # Argo CD tells the way that the message took, too.
        self._display.line(f"…{message[message.index('`renderer') :].splitlines()[0]}", "red")
        self._show_objects()

    def _show_objects(self) -> None:
        api = self._argocd.api
        deployment = api.get("apps/v1", "Deployment", "guestbook-ui", namespace="default")
        api.get("v1", "Service", "guestbook-ui", namespace="default")
        replicas = deployment["spec"]["replicas"]
        self._display.line(
            f"live: Deployment guestbook-ui (replicas: {replicas}), Service guestbook-ui"
        )

    def _spec(self) -> object:
        return self._argocd.api.get("apps/v1", "Deployment", DEPLOYMENT, namespace=NAMESPACE)[
            "spec"
        ]


def _application(url: str) -> dict[str, object]:
    return {
        "applicationName": _APPLICATION,
        "repoUrl": url,
        "path": ".",
        "targetRevision": "main",
        "destinationServer": "https://kubernetes.default.svc",
        "destinationNamespace": "default",
        "automated": True,
        "prune": True,
        "selfHeal": True,
    }
