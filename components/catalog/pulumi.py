"""PulumiPlugin: Argo CD renders Pulumi programs."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NotRequired

import pulumi

from components import validation
from components.catalog.renderer_plugin import Renderer, RendererPlugin, RendererPluginArgs
from plugin_image.contract import RendererEnv


class PulumiPluginArgs(RendererPluginArgs):
    """Arguments of `PulumiPlugin`."""

    pass_env: NotRequired[pulumi.Input[Sequence[pulumi.Input[str]]]]
    """Names of the sidecar's variables that programs may see (default none)."""


class PulumiPlugin(RendererPlugin):
    """The plugin that turns Pulumi programs into manifests, installed into Argo CD."""

    def __init__(
        self, name: str, args: PulumiPluginArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(PULUMI, name, args, opts)


def _variables(values: Mapping[str, Any]) -> dict[str, str]:
    pass_env = validation.strings("pass_env", values.get("pass_env", []))
    for variable in pass_env:
        validation.env_name("pass_env", variable)
    return {RendererEnv.PASS_ENV.value: ",".join(pass_env)} if pass_env else {}


PULUMI: Final = Renderer(
    name="pulumi", args=PulumiPluginArgs, settings=("pass_env",), variables=_variables
)
