"""`pulumi up` of the installer builds the image and pushes it: by digest, as one account.

The cluster is the process-level one of the end-to-end tests; no pod runs here.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.conftest import BuildVariant
from tests.cluster.harness import docker_build_plugin
from tests.cluster.harness.docker_engine import PUSHER, Build, DockerEngine, running_registry
from tests.e2e.conftest import api_server, tools
from tests.e2e.harness.api_server import INSTALLER, ApiServer
from tests.e2e.harness.argocd import DEPLOYMENT, NAMESPACE, install
from tests.e2e.harness.pulumi_stack import PulumiStack
from tests.e2e.harness.workspace import Workspace

__all__ = ["api_server", "tools"]

MakeStack = Callable[..., PulumiStack]


@pytest.fixture(scope="module")
def argocd_objects(api_server: ApiServer, tools: Mapping[str, Path]) -> ApiServer:
    """The API server with Argo CD's objects in it."""
    install(api_server.admin, tools["argocd-manifests"], redis_password="unused")
    return api_server


@pytest.fixture
def guarded_registry(workspace: Workspace) -> Iterator[str]:
    """The address of a registry that only one account may use."""
    with running_registry(workspace, login=PUSHER) as registry:
        yield registry.address


@pytest.fixture
def make_stack(  # noqa: PLR0917 - fixtures come by position
    argocd_objects: ApiServer,
    engine: DockerEngine,
    plugin_build: Build,
    build_variant: BuildVariant,
    tools: Mapping[str, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[MakeStack]:
    """Makes a stack that builds the slim image; whatever it installed is gone after the test.

    Its layers that need the network are in the engine's cache already.
    """
    build_variant("slim")
    plugins = tmp_path / "plugins"
    plugins.mkdir()
    docker_build_plugin.install(engine, plugins)
    monkeypatch.setenv("PATH", f"{plugins}:{os.environ['PATH']}")
    stacks: list[PulumiStack] = []

    def make(registry: str, *, password: str = PUSHER.password, **config: Any) -> PulumiStack:
        stack = PulumiStack(
            tmp_path / f"stack-{len(stacks)}",
            tools=tools,
            kubeconfig=argocd_objects.kubeconfig(INSTALLER),
            config={
                "awaitRollout": False,
                "imageRepository": f"{registry}/argocd/plugin",
                "imageBuildArgs": {**plugin_build.args, "VARIANT": "slim"},
                "imageRegistryUsername": PUSHER.username,
                **config,
            },
        )
        stacks.append(stack)
        stack.set_secret("imageRegistryPassword", password)
        return stack

    yield make
    for stack in stacks:
        stack.destroy().require_success()


def sidecar_images(server: ApiServer) -> list[str]:
    spec = server.admin.get("apps/v1", "Deployment", DEPLOYMENT, namespace=NAMESPACE)["spec"]
    containers = spec["template"]["spec"]["containers"]
    return [each["image"] for each in containers if each["name"].startswith("cmp-")]


class TestUp:
    def test_pushes_what_the_sidecar_then_names_by_digest_and_a_second_up_changes_nothing(
        self,
        make_stack: MakeStack,
        argocd_objects: ApiServer,
        engine: DockerEngine,
        guarded_registry: str,
    ) -> None:
        stack = make_stack(guarded_registry)
        stack.up().require_success()
        reference = stack.outputs()["image"]
        tag = rf"{re.escape(guarded_registry)}/argocd/plugin:content-[0-9a-f]{{16}}"
        assert re.fullmatch(rf"{tag}@sha256:[0-9a-f]{{64}}", reference)
        assert sidecar_images(argocd_objects) == [reference]
        assert engine.run("run", "--rm", "--network=none", reference, "renderer", "--help")
        stack.up("--expect-no-changes").require_success()

    def test_keeps_password_and_build_secrets_out_of_the_state(
        self, make_stack: MakeStack, guarded_registry: str
    ) -> None:
        canary = "canary-of-the-state-51ce77"
        stack = make_stack(guarded_registry)
        stack.set_secret('imageBuildSecrets["pip"]', f"# {canary}\n")
        stack.up().require_success()
        state = stack.export()
        assert PUSHER.password not in state
        assert canary not in state

    def test_with_a_password_that_the_registry_refuses_says_so_and_installs_nothing(
        self, make_stack: MakeStack, argocd_objects: ApiServer, guarded_registry: str
    ) -> None:
        stack = make_stack(guarded_registry, password="not-the-password")
        outcome = stack.up()
        assert outcome.status != 0
        assert "no basic auth credentials" in outcome.output or "unauthorized" in outcome.output
        assert "not-the-password" not in outcome.output
        assert sidecar_images(argocd_objects) == []
        stack.set_secret("imageRegistryPassword", PUSHER.password)
        stack.up().require_success()
        assert len(sidecar_images(argocd_objects)) == 1
