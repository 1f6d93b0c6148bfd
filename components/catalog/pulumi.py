"""PulumiPlugin: Argo CD renders Pulumi programs."""

from collections.abc import Sequence
from typing import Final, NotRequired

import pulumi

from .renderer_plugin import (
    Renderer,
    RendererPlugin,
    RendererPluginArgs,
    passed_variables,
)


class PulumiPluginArgs(RendererPluginArgs):
    """Arguments of `PulumiPlugin`."""

    pass_env: NotRequired[pulumi.Input[Sequence[pulumi.Input[str]]]]
    """Names of the sidecar's variables that programs may see (default none)."""


class PulumiPlugin(RendererPlugin):
    """Installs the plugin that turns Pulumi programs into manifests."""

    def __init__(
        self, name: str, args: PulumiPluginArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(PULUMI, name, args, opts)


PULUMI: Final = Renderer(
    name="pulumi", args=PulumiPluginArgs, settings=("pass_env",), variables=passed_variables
)
