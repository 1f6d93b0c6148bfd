"""PluginConfig: a plugin's definition and scripts, in a ConfigMap."""

from typing import Any, NotRequired

import pulumi

from ..shared import immutable_config_map, inputs
from . import plugin_yaml
from .container import container_name
from .plugin_yaml import PluginDefinitionArgs


class PluginConfigArgs(PluginDefinitionArgs):
    """Arguments of `PluginConfig`."""

    namespace: NotRequired[pulumi.Input[str]]
    """Namespace of Argo CD's repo-server (default `argocd`)."""
    export: NotRequired[bool]
    """Make no ConfigMap, but output its manifest for a `PluginExport` (default false)."""


class PluginConfig(pulumi.ComponentResource):
    """The ConfigMap with a plugin's plugin.yaml and scripts.

    Refuses every definition that cmp-server would refuse or silently ignore, and Pulumi
    secrets: everyone who may read the namespace can read a ConfigMap.
    """

    plugin_name: pulumi.Output[str]
    """The exact `plugin.name` of Applications: `<plugin_name>-<version>`."""
    config_map_name: pulumi.Output[str]
    """Generated name of the ConfigMap. It changes with the content."""
    script_names: pulumi.Output[list[str]]
    """File names of the scripts in the ConfigMap."""
    manifests: pulumi.Output[list[dict[str, Any]]]
    """The ConfigMap's manifest, where it is exported instead of created."""

    def __init__(
        self, name: str, args: PluginConfigArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        where = f"PluginConfig {name}"
        given = inputs.given(where, args, PluginConfigArgs)
        super().__init__("argocd-cmp:index:PluginConfig", name, given, opts)
        described = inputs.pick(given, PluginDefinitionArgs.__annotations__)
        definition = inputs.checked(where, described, plugin_yaml.define)
        data = definition.apply(lambda d: {plugin_yaml.FILE_NAME: d.document, **d.scripts})
        # Known even while a script is not.
        self.plugin_name = inputs.checked(
            where,
            inputs.pick(given, ("plugin_name", "version")),
            lambda known: plugin_yaml.full_name(known["plugin_name"], known.get("version")),
        )
        container = self.plugin_name.apply(
            lambda known: inputs.located(where, lambda: container_name(known))
        )
        config_map = immutable_config_map.make(name, where, given, data, of=container, parent=self)
        self.script_names = definition.apply(lambda d: sorted(d.scripts))
        self.config_map_name = config_map.name
        self.manifests = config_map.manifests
        self.register_outputs(
            {
                "plugin_name": self.plugin_name,
                "config_map_name": self.config_map_name,
                "script_names": self.script_names,
                "manifests": self.manifests,
            }
        )
