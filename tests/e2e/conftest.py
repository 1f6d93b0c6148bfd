"""Real parts, started once for all end-to-end tests."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests import toolchain
from tests.e2e.harness.api_server import INSTALLER, ApiServer, running_api_server
from tests.e2e.harness.argocd import ArgoCD, running_argocd
from tests.e2e.harness.local_argocd import terminate_like_interrupt
from tests.e2e.harness.pulumi_stack import ROOT, PulumiStack
from tests.e2e.harness.workspace import Workspace
from tests.e2e.installation import CONFIG, MakeStack


@contextmanager
def uncaptured(config: pytest.Config) -> Iterator[None]:
    """Let what is written reach the terminal at once."""
    with config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        yield


@pytest.fixture(scope="package")
def tools(pytestconfig: pytest.Config) -> Mapping[str, Path]:
    """The real parts; missing ones are built, with progress on the terminal."""
    with uncaptured(pytestconfig):
        return toolchain.ensure((*toolchain.DEFAULT, "pulumi-language-yaml", "haproxy", "helm"))


@pytest.fixture(scope="package")
def workspace_parent() -> Path | None:
    """Where that of this run is; None where it does not matter."""
    return None


@pytest.fixture(scope="package")
def workspace(request: pytest.FixtureRequest, workspace_parent: Path | None) -> Iterator[Workspace]:
    """The folder of this run. Its logs stay when a test has failed."""
    terminate_like_interrupt()
    workspace = Workspace(workspace_parent)
    yield workspace
    failed = request.session.testsfailed > 0
    workspace.close(keep_logs=failed)
    if failed:
        with uncaptured(request.config):
            sys.stderr.write(f"\nlogs of the real parts: {workspace.logs}\n")


@pytest.fixture(scope="package")
def api_server(workspace: Workspace, tools: Mapping[str, Path]) -> Iterator[ApiServer]:
    """A Kubernetes API."""
    with running_api_server(workspace, tools) as server:
        yield server


@pytest.fixture(scope="package")
def argocd(
    api_server: ApiServer, workspace: Workspace, tools: Mapping[str, Path]
) -> Iterator[ArgoCD]:
    """Argo CD on that API, as its manifests install it: without any plugin."""
    with running_argocd(api_server, workspace, tools) as argocd:
        yield argocd


@pytest.fixture
def make_stack(
    api_server: ApiServer, tools: Mapping[str, Path], tmp_path: Path
) -> Iterator[MakeStack]:
    """Makes a stack of the installer; whatever it installed is gone after the test."""
    stacks: list[PulumiStack] = []

    def make(
        user: str = INSTALLER, program: Path = ROOT / "__main__.py", **config: Any
    ) -> PulumiStack:
        stacks.append(
            PulumiStack(
                tmp_path / str(len(stacks)),
                tools=tools,
                kubeconfig=api_server.kubeconfig(user),
                config={**CONFIG, **config},
                program=program,
            )
        )
        return stacks[-1]

    yield make
    for stack in stacks:
        if stack.has_changed_something:
            stack.destroy().require_success()
