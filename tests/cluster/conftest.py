"""A container engine, images and a cluster with Argo CD, made once for all tests of this folder.

They change the machine they run on, so they run on demand only: `make test-cluster`.
"""

import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Protocol

import pytest

from tests import toolchain
from tests.cluster import prerequisites
from tests.cluster.harness import clusters, git_pod, local_parts, programs
from tests.cluster.harness.catalogue import Installer
from tests.cluster.harness.clusters import Cluster, Given
from tests.cluster.harness.docker_engine import (
    Build,
    DockerEngine,
    given_engine,
    running_engine,
    running_registry,
)
from tests.cluster.harness.git_pod import PublishedRepository
from tests.e2e.conftest import uncaptured, workspace
from tests.e2e.harness.pulumi_stack import ROOT
from tests.e2e.harness.workspace import ON_DISK, Workspace

__all__ = ["workspace"]

CONTEXT = ROOT / "plugin_image"
DESTINATION = "guestbook"
"""A namespace to deliver into."""

_HELPER = Path(__file__).parent / "harness" / "helper_image"


class BuildVariant(Protocol):
    """Builds a variant of the plugin's image and gives its tag."""

    def __call__(self, variant: str) -> str: ...


@pytest.fixture(scope="package")
def given() -> Given | None:
    """The cluster and registry to use, where they are given."""
    return Given.from_environment(os.environ)


@pytest.fixture(scope="package")
def workspace_parent() -> Path:
    """A disk, as memory is counted by container."""
    return ON_DISK


@pytest.fixture(scope="package")
def engine(workspace: Workspace, given: Given | None) -> Iterator[DockerEngine]:
    """A Docker engine of the tests' own, or the one that goes with a given cluster."""
    if given:
        yield given_engine()
        return
    if packages := prerequisites.missing():
        pytest.fail(f"missing: {', '.join(packages)}; `make test-cluster` installs them")
    with running_engine(workspace) as engine:
        yield engine


@pytest.fixture
def registry(workspace: Workspace) -> Iterator[str]:
    """The address of a registry without any image."""
    with running_registry(workspace) as registry:
        yield registry.address


@pytest.fixture(scope="package")
def plugin_build(engine: DockerEngine, given: Given | None, pytestconfig: pytest.Config) -> Build:
    """How the plugin's image is built on this machine."""
    with uncaptured(pytestconfig):
        args = given.build_arguments if given else local_parts.arguments(engine)
    return Build(CONTEXT, "plugin-tests/pulumi", args=args, secrets=local_parts.secrets())


@pytest.fixture(scope="package")
def build_variant(engine: DockerEngine, plugin_build: Build) -> BuildVariant:
    """Builds a variant when it is not there yet."""

    def build(variant: str) -> str:
        tag = f"{plugin_build.tag}:{variant}"
        args = {**plugin_build.args, "VARIANT": variant}
        engine.build(Build(CONTEXT, tag, args=args, secrets=plugin_build.secrets))
        return tag

    return build


@pytest.fixture(scope="package")
def tools(pytestconfig: pytest.Config, given: Given | None) -> Mapping[str, Path]:
    """The real parts; missing ones are built, with progress on the terminal."""
    with uncaptured(pytestconfig):
        return toolchain.ensure(toolchain.DEFAULT if given else clusters.TOOLS)


@pytest.fixture(scope="package")
def cluster(
    workspace: Workspace,
    tools: Mapping[str, Path],
    engine: DockerEngine,
    given: Given | None,
    pytestconfig: pytest.Config,
) -> Iterator[Cluster]:
    """A cluster with Argo CD, and with a namespace to deliver into."""
    begun = time.monotonic()
    with ExitStack() as stack:
        if given:
            cluster = stack.enter_context(clusters.given_cluster(given, workspace))
        else:
            cluster = stack.enter_context(clusters.own_cluster(workspace, tools, engine))
        with uncaptured(pytestconfig):
            sys.stderr.write(f"\nArgo CD ready after {time.monotonic() - begun:.0f} s\n")
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": DESTINATION}}
        cluster.api.apply(namespace)
        yield cluster


@pytest.fixture(scope="package")
def installer(
    cluster: Cluster, engine: DockerEngine, tools: Mapping[str, Path], workspace: Workspace
) -> Installer:
    return Installer(cluster, engine, tools, workspace)


@pytest.fixture(scope="package")
def repository(
    cluster: Cluster, engine: DockerEngine, build_variant: BuildVariant, workspace: Workspace
) -> PublishedRepository:
    """A repository with programs, which the cluster can fetch from."""
    helper = f"{cluster.registry}/argocd-plugin-tests/helper:tests"
    engine.build(Build(_HELPER, helper, args={"PLUGIN_IMAGE": build_variant("slim")}))
    engine.run("push", helper)
    git_pod.install(cluster.api, image=helper)
    folder = workspace.folder("repositories") / "programs"
    repository = PublishedRepository(folder, cluster.kubectl)
    programs.commit_all(repository, image=helper)
    return repository
