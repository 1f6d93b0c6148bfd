"""ManifestWorkPlugin: Argo CD delivers to the managed clusters of Open Cluster Management."""

from collections.abc import Sequence
from typing import Final, NotRequired

import pulumi

from .renderer_plugin import (
    Renderer,
    RendererPlugin,
    RendererPluginArgs,
    passed_variables,
)


class ManifestWorkPluginArgs(RendererPluginArgs):
    """Arguments of `ManifestWorkPlugin`."""

    pass_env: NotRequired[pulumi.Input[Sequence[pulumi.Input[str]]]]
    """Names of the sidecar's variables that wrapped programs may see (default none)."""


class ManifestWorkPlugin(RendererPlugin):
    """Installs the plugin that wraps manifests in ManifestWorks for managed clusters."""

    def __init__(
        self, name: str, args: ManifestWorkPluginArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(MANIFEST_WORK, name, args, opts)


MANIFEST_WORK: Final = Renderer(
    name="manifest-work",
    args=ManifestWorkPluginArgs,
    settings=("pass_env",),
    variables=passed_variables,
    discover_file=".manifest-work",
)
