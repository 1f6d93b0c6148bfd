"""A container engine and images, made once for all tests of this folder.

They change the machine they run on, so they run on demand only: `make test-cluster`.
"""

import os
from collections.abc import Iterator
from typing import Protocol

import pytest

from tests.cluster import prerequisites
from tests.cluster.harness import local_parts
from tests.cluster.harness.clusters import Given
from tests.cluster.harness.docker_engine import (
    Build,
    DockerEngine,
    given_engine,
    running_engine,
    running_registry,
)
from tests.e2e.conftest import uncaptured, workspace
from tests.e2e.harness.pulumi_stack import ROOT
from tests.e2e.harness.workspace import Workspace

__all__ = ["workspace"]

CONTEXT = ROOT / "plugin_image"


class BuildVariant(Protocol):
    """Builds a variant of the plugin's image and gives its tag."""

    def __call__(self, variant: str) -> str: ...


@pytest.fixture(scope="session")
def given() -> Given | None:
    """The cluster and registry to use, where they are given."""
    return Given.from_environment(os.environ)


@pytest.fixture(scope="session")
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


@pytest.fixture(scope="session")
def plugin_build(engine: DockerEngine, given: Given | None, pytestconfig: pytest.Config) -> Build:
    """How the plugin's image is built on this machine."""
    with uncaptured(pytestconfig):
        args = given.build_arguments if given else local_parts.arguments(engine)
    return Build(CONTEXT, "plugin-tests/pulumi", args=args, secrets=local_parts.secrets())


@pytest.fixture(scope="session")
def build_variant(engine: DockerEngine, plugin_build: Build) -> BuildVariant:
    """Builds a variant when it is not there yet."""

    def build(variant: str) -> str:
        tag = f"{plugin_build.tag}:{variant}"
        args = {**plugin_build.args, "VARIANT": variant}
        engine.build(Build(CONTEXT, tag, args=args, secrets=plugin_build.secrets))
        return tag

    return build
