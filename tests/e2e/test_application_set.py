"""A monorepo: Argo CD's own controller makes an Application of each folder."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.harness.api_server import ARGOCD_CONTROLLER, INSTALLER, ApiServer
from tests.e2e.harness.argocd import NAMESPACE, ArgoCD
from tests.e2e.harness.git_repository import PACKAGES, GitRepository
from tests.e2e.harness.image_root import plugin_image
from tests.e2e.harness.processes import HOST_PATH, Process, free_port, listens
from tests.e2e.harness.pulumi_stack import ROOT, PulumiStack
from tests.e2e.harness.workspace import Workspace
from tests.e2e.installation import IMAGE

pytestmark = pytest.mark.long

ARGOPROJ = "argoproj.io/v1alpha1"
PROGRAM = Path(__file__).parent / "testdata" / "application_set.py"
EXAMPLE = ROOT / "examples" / "guestbook-python"


@contextmanager
def running_application_set_controller(
    argocd: ArgoCD, server: ApiServer, workspace: Workspace, binary: Path
) -> Iterator[None]:
    kubeconfig = str(server.kubeconfig(ARGOCD_CONTROLLER))
    metrics, probe, webhook = free_port(), free_port(), free_port()
    controller = Process(
        "argocd-applicationset-controller",
        [
            binary,
            f"--kubeconfig={kubeconfig}",
            f"--namespace={NAMESPACE}",
            f"--argocd-repo-server=127.0.0.1:{argocd.repo_server_port}",
            "--repo-server-plaintext",
            f"--metrics-addr=127.0.0.1:{metrics}",
            f"--probe-addr=127.0.0.1:{probe}",
            f"--webhook-addr=127.0.0.1:{webhook}",
        ],
        environment={
            "ARGOCD_BINARY_NAME": "argocd-applicationset-controller",
            "HOME": str(workspace.path),
            "KUBECONFIG": kubeconfig,
            "PATH": HOST_PATH,
            "TMPDIR": str(workspace.folder("application-sets")),
        },
        log=workspace.logs / "argocd-applicationset-controller.log",
    )
    try:
        controller.wait_ready(lambda: listens(probe), timeout=30)
        yield
    finally:
        controller.stop()


@dataclass(frozen=True)
class Monorepo:
    argocd: ArgoCD
    repository: GitRepository

    def applications(self) -> set[str]:
        found = self.argocd.api.list(ARGOPROJ, "Application", namespace=NAMESPACE)
        return {one["metadata"]["name"] for one in found}

    def refresh(self) -> None:
        """Let the controller look at the repository at once."""
        annotation = {"argocd.argoproj.io/application-set-refresh": "true"}
        self.argocd.api.patch(
            ARGOPROJ,
            "ApplicationSet",
            "monorepo",
            {"metadata": {"annotations": annotation}},
            namespace=NAMESPACE,
        )

    def wait_for(self, *names: str) -> None:
        self.argocd.api.wait_for(
            lambda: self.applications() == set(names),
            message=lambda: f"the Applications are {sorted(self.applications())}",
        )

    def delivered(self, folder: str) -> object:
        found = self.argocd.api.find(
            "apps/v1", "Deployment", "guestbook-ui", namespace=f"of-{folder}"
        )
        return found and found["spec"]["replicas"]


@pytest.fixture
def monorepo(
    argocd: ArgoCD,
    api_server: ApiServer,
    workspace: Workspace,
    tools: Mapping[str, Path],
    tmp_path: Path,
) -> Iterator[Monorepo]:
    repository = argocd.repository("monorepo")
    for folder in ("apps/blue", "apps/green", "apps/archive", "docs"):
        repository.copy(EXAMPLE, to=folder, leave_out=PACKAGES)
    repository.commit("two apps, and what is none")
    stack = PulumiStack(
        tmp_path / "stack",
        tools=tools,
        kubeconfig=api_server.kubeconfig(INSTALLER),
        config={"image": IMAGE, "repository": repository.url},
        program=PROGRAM,
    )
    made = Monorepo(argocd, repository)
    try:
        stack.up().require_success()
        argocd.roll_out({stack.outputs()["containerName"]: plugin_image(ROOT / "plugin_image")})
        with running_application_set_controller(argocd, api_server, workspace, tools["argocd"]):
            yield made
        stack.up("--expect-no-changes").require_success()
    finally:
        argocd.stop_pod()
        stack.destroy().require_success()
        for name in made.applications():
            argocd.application(name).delete()


def test_each_folder_is_delivered_and_one_that_goes_leaves_what_it_delivered(
    monorepo: Monorepo,
) -> None:
    monorepo.wait_for("blue", "green")
    for name in ("blue", "green"):
        monorepo.argocd.application(name).wait_until_synced()
        assert monorepo.delivered(name) == 2

    monorepo.repository.copy(EXAMPLE, to="apps/red", leave_out=PACKAGES)
    monorepo.repository.commit("a new app, and one less", dict.fromkeys(files("apps/blue")))
    monorepo.refresh()
    monorepo.wait_for("green", "red")
    monorepo.argocd.application("red").wait_until_synced()
    assert monorepo.delivered("blue") == 2, "a folder that goes deletes nothing"


def files(folder: str) -> list[str]:
    paths = [path.relative_to(EXAMPLE) for path in EXAMPLE.rglob("*") if path.is_file()]
    return [f"{folder}/{path}" for path in paths if path.name not in PACKAGES]
