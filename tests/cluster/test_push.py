"""`pulumi up` of the installer builds the image and pushes it: by digest, as one account.

The cluster is the process-level one of the end-to-end tests; no pod runs here.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cluster.conftest import BuildVariant
from tests.cluster.harness import docker_build_plugin
from tests.cluster.harness.docker_engine import PUSHER, Build, DockerEngine, running_registry
from tests.e2e.conftest import api_server, tools
from tests.e2e.harness.api_server import INSTALLER, ApiServer
from tests.e2e.harness.argocd import DEPLOYMENT, NAMESPACE, install
from tests.e2e.harness.pulumi_cli import Outcome
from tests.e2e.harness.pulumi_stack import PulumiStack
from tests.e2e.harness.workspace import Workspace

__all__ = ["api_server", "tools"]

WRONG_PASSWORD = "not-the-password"
CANARY = "canary-of-the-state-51ce77"
"""What is secret in a build."""


@pytest.fixture(scope="module")
def argocd_objects(api_server: ApiServer, tools: Mapping[str, Path]) -> ApiServer:
    """The API server with Argo CD's objects in it."""
    install(api_server.admin, tools["argocd-manifests"], redis_password="unused")
    return api_server


@dataclass(frozen=True)
class Pushed:
    """A stack that has built and pushed its image, and what came of a wrong password before."""

    stack: PulumiStack
    registry: str
    refused: Outcome
    installed_by_refused: Sequence[str]


@pytest.fixture(scope="module")
def pushed(  # noqa: PLR0917 - fixtures come by position
    argocd_objects: ApiServer,
    engine: DockerEngine,
    plugin_build: Build,
    build_variant: BuildVariant,
    tools: Mapping[str, Path],
    workspace: Workspace,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Pushed]:
    """The slim image, in a registry that only one account may use.

    Its layers that need the network are in the engine's cache already.
    """
    build_variant("slim")
    folder = tmp_path_factory.mktemp("push")
    plugins = folder / "plugins"
    plugins.mkdir()
    docker_build_plugin.install(engine, plugins)
    with ExitStack() as opened:
        registry = opened.enter_context(running_registry(workspace, login=PUSHER)).address
        patch = opened.enter_context(pytest.MonkeyPatch.context())
        patch.setenv("PATH", f"{plugins}:{os.environ['PATH']}")
        stack = PulumiStack(
            folder / "stack",
            tools=tools,
            kubeconfig=argocd_objects.kubeconfig(INSTALLER),
            config={
                "awaitRollout": False,
                "imageRepository": f"{registry}/argocd/plugin",
                "imageBuildArgs": {**plugin_build.args, "VARIANT": "slim"},
                "imageRegistryUsername": PUSHER.username,
            },
        )
        stack.set_secret("imageRegistryPassword", WRONG_PASSWORD)
        stack.set_secret('imageBuildSecrets["pip"]', f"# {CANARY}\n")
        opened.callback(lambda: stack.destroy().require_success())
        refused = stack.up()
        installed = sidecar_images(argocd_objects)
        stack.set_secret("imageRegistryPassword", PUSHER.password)
        stack.up().require_success()
        yield Pushed(stack, registry, refused, installed)


def sidecar_images(server: ApiServer) -> list[str]:
    spec = server.admin.get("apps/v1", "Deployment", DEPLOYMENT, namespace=NAMESPACE)["spec"]
    containers = spec["template"]["spec"]["containers"]
    return [each["image"] for each in containers if each["name"].startswith("cmp-")]


class TestUp:
    def test_with_a_password_that_the_registry_refuses_says_so_and_installs_nothing(
        self, pushed: Pushed
    ) -> None:
        said = pushed.refused.output
        assert pushed.refused.status != 0
        assert "no basic auth credentials" in said or "unauthorized" in said
        assert WRONG_PASSWORD not in said
        assert pushed.installed_by_refused == []

    def test_pushes_what_the_sidecar_then_names_by_digest_and_a_second_up_changes_nothing(
        self, pushed: Pushed, argocd_objects: ApiServer, engine: DockerEngine
    ) -> None:
        reference = pushed.stack.outputs()["image"]
        tag = rf"{re.escape(pushed.registry)}/argocd/plugin:content-[0-9a-f]{{16}}"
        assert re.fullmatch(rf"{tag}@sha256:[0-9a-f]{{64}}", reference)
        assert sidecar_images(argocd_objects) == [reference]
        assert engine.run("run", "--rm", "--network=none", reference, "renderer", "--help")
        pushed.stack.up("--expect-no-changes").require_success()

    def test_keeps_password_and_build_secrets_out_of_the_state(self, pushed: Pushed) -> None:
        state = pushed.stack.export()
        assert PUSHER.password not in state
        assert CANARY not in state
