"""The plugin installed by the real program, as the tests and the demo want it."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.e2e.harness.api_server import INSTALLER, ApiServer
from tests.e2e.harness.argocd import ArgoCD
from tests.e2e.harness.image_root import plugin_image
from tests.e2e.harness.pulumi_stack import ROOT, PulumiStack
from tests.e2e.harness.workspace import Workspace

IMAGE = "registry.example.com/argocd/pulumi-plugin@sha256:" + "0" * 64
"""A ready image: nothing here pulls it, its content is run from the work tree."""

IMAGE_TOOLS = ("pulumi-resource-kubernetes", "pulumi-language-yaml")
"""What the image has beside Python and Node.js."""

CONFIG: Mapping[str, Any] = {
    "imageReference": IMAGE,
    # Without a kubelet no pod ever becomes ready.
    "awaitRollout": False,
}


MakeStack = Callable[..., PulumiStack]


@dataclass(frozen=True)
class Installation:
    """An installed plugin, whose sidecar runs."""

    stack: PulumiStack
    plugin_name: str
    container_name: str


@contextmanager
def installed(
    argocd: ArgoCD,
    server: ApiServer,
    workspace: Workspace,
    tools: Mapping[str, Path],
    *,
    config: Mapping[str, Any],
    secrets: Mapping[str, str],
) -> Iterator[Installation]:
    """Install the plugin with `pulumi up` and roll the repo-server's pod out; undo both."""
    stack = PulumiStack(
        workspace.folder("installer"),
        tools=tools,
        kubeconfig=server.kubeconfig(INSTALLER),
        config={**CONFIG, **config},
    )
    for path, value in secrets.items():
        stack.set_secret(path, value)
    stack.up().require_success()
    outputs = stack.outputs()
    image = plugin_image(ROOT / "plugin_image", commands=(tools[name] for name in IMAGE_TOOLS))
    argocd.roll_out({outputs["containerName"]: image})
    try:
        yield Installation(stack, outputs["pluginName"], outputs["containerName"])
    finally:
        argocd.stop_pod()
        stack.destroy().require_success()
