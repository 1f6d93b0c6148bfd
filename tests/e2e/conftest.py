"""Real parts, started once for all end-to-end tests."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests import toolchain
from tests.e2e.harness.api_server import ApiServer, running_api_server
from tests.e2e.harness.argocd import ArgoCD, running_argocd
from tests.e2e.harness.local_argocd import terminate_like_interrupt
from tests.e2e.harness.workspace import Workspace


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
def workspace(request: pytest.FixtureRequest) -> Iterator[Workspace]:
    """The folder of this run. Its logs stay when a test has failed."""
    terminate_like_interrupt()
    workspace = Workspace()
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
