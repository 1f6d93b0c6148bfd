"""A stack that `pulumi up` has deployed moves to Argo CD and back, and no object is made anew."""

import json
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.e2e.harness.api_server import INSTALLER, ApiServer
from tests.e2e.harness.argocd import ArgoCD
from tests.e2e.harness.git_repository import GitRepository
from tests.e2e.harness.pulumi_stack import ROOT, PulumiStack
from tests.e2e.harness.workspace import Workspace
from tests.e2e.installation import Installation, installed

pytestmark = pytest.mark.long

PROGRAM = Path(__file__).with_name("testdata") / "adopted"
STACK = "test"
KINDS = (("v1", "ConfigMap"), ("v1", "Secret"), ("v1", "Service"), ("apps/v1", "Deployment"))
CANARY = "canary-of-a-stack-that-moves"
"""That of no other tests: Argo CD has what it applies in /dev/shm, where those of faults look."""

Lives = dict[tuple[str, str], tuple[str, str]]


@pytest.fixture(scope="module")
def installation(
    argocd: ArgoCD, api_server: ApiServer, workspace: Workspace, tools: Mapping[str, Path]
) -> Iterator[Installation]:
    with installed(argocd, api_server, workspace, tools, config={}, secrets={}) as installation:
        yield installation


@pytest.fixture
def stack(
    api_server: ApiServer, tools: Mapping[str, Path], tmp_path: Path
) -> Iterator[PulumiStack]:
    stack = PulumiStack(
        tmp_path / "stack",
        tools=tools,
        kubeconfig=api_server.kubeconfig(INSTALLER),
        config={},
        program=PROGRAM,
    )
    stack.up().require_success()
    yield stack


class Shop:
    """The objects of the program, as a cluster has them."""

    def __init__(self, argocd: ArgoCD, namespace: str) -> None:
        self._api = argocd.api
        self._namespace = namespace

    def lives(self) -> Lives:
        """The uid of each object, and what it should be."""
        objects = [
            self._api.get("v1", "Namespace", self._namespace),
            *(o for kind in KINDS for o in self._api.list(*kind, namespace=self._namespace)),
        ]
        return {
            (o["kind"], o["metadata"]["name"]): (
                o["metadata"]["uid"],
                json.dumps([o.get("spec"), o.get("data")]),
            )
            for o in objects
            if o["metadata"]["name"] != "kube-root-ca.crt"
        }


def adopt(folder: Path, export: str, tools: Mapping[str, Path]) -> str:
    """What `renderer pulumi adopt` says."""
    command = [sys.executable, "-m", "plugin_image.renderer", "pulumi", "adopt", str(folder)]
    done = subprocess.run(
        [*command, "--stack", STACK, "--state", "-"],
        cwd=ROOT,
        input=export,
        env={"PATH": f"{tools['pulumi-resource-kubernetes'].parent}:/usr/bin:/bin", "HOME": "/tmp"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_living_stack_moves_to_argo_cd_and_back(
    argocd: ArgoCD,
    installation: Installation,
    stack: PulumiStack,
    tools: Mapping[str, Path],
    tmp_path: Path,
) -> None:
    export = stack.export()
    repository: GitRepository = argocd.repository("adopted")
    repository.copy(PROGRAM)
    repository.commit("program", {f"Pulumi.{STACK}.yaml": "config: {}\n"})

    told = adopt(repository.folder, export, tools)
    assert "0 to create" in told
    assert "0 live objects are not rendered" in told
    names = (repository.folder / f"PulumiNames.{STACK}.yaml").read_text()
    assert CANARY not in told + names
    (namespace,) = (
        line.rpartition(" ")[2] for line in names.splitlines() if "v1:Namespace::adopted" in line
    )
    shop = Shop(argocd, namespace)
    before = shop.lives()
    assert len(before) == 8

    revision = repository.commit("names")
    application = argocd.create_application(
        "adopted",
        repository=repository,
        plugin={
            "name": installation.plugin_name,
            "env": [{"name": "PULUMI_STACK", "value": STACK}],
        },
        destination_namespace="default",
        sync_policy={"automated": {"prune": True, "selfHeal": True}},
    )
    application.wait_until_synced(revision=revision)
    assert shop.lives() == before, "Argo CD has taken over what was there, and changed no spec"

    commands = [line.split() for line in told.splitlines() if line.startswith("  pulumi ")]
    assert len(commands) == 2
    state = tmp_path / "state.json"
    for _, *arguments in map(shlex.split, map(" ".join, commands)):
        given = [str(state) if word.endswith(".state.json") else word for word in arguments]
        stack.run(*given).require_success()
    stack.destroy().require_success()
    assert shop.lives() == before, "Pulumi has forgotten the objects, and deletes none"

    program = (PROGRAM / "__main__.py").read_text()
    without_chart = program.partition("k8s.helm.v4.Chart")[0]
    revision = repository.commit("change", {"__main__.py": without_chart})
    application.refresh()
    application.wait_until_synced(revision=revision)
    chart = ("ConfigMap", "cart-settings")
    rest = {key: life for key, life in before.items() if key != chart}
    assert shop.lives() == rest, "what a commit drops is pruned: it is Argo CD's now"

    application.delete()
    stack.run("stack", "import", "--file", str(state)).require_success()
    stack.run("refresh", "--yes", "--skip-preview").require_success()
    stack.up().require_success()
    back = shop.lives()
    assert back.pop(chart)[0] != before[chart][0], "`pulumi up` makes again what was pruned"
    assert back == rest, "and goes on with the others"
