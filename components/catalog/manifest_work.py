"""ManifestWorkPlugin: Argo CD delivers to the managed clusters of Open Cluster Management."""

from typing import Final

import pulumi

from components.catalog.renderer_plugin import Renderer, RendererPlugin, RendererPluginArgs


class ManifestWorkPluginArgs(RendererPluginArgs):
    """Arguments of `ManifestWorkPlugin`."""


class ManifestWorkPlugin(RendererPlugin):
    """The plugin that wraps manifests into ManifestWorks for managed clusters, installed."""

    def __init__(
        self, name: str, args: ManifestWorkPluginArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(MANIFEST_WORK, name, args, opts)


MANIFEST_WORK: Final = Renderer(name="manifest-work", args=ManifestWorkPluginArgs)
