"""PluginConfig: a plugin's definition and scripts, in a ConfigMap."""

from typing import NotRequired

import pulumi
import pulumi_kubernetes as k8s

from components import argocd, inputs, plugin_yaml
from components.validation import dns_label


class PluginConfigArgs(plugin_yaml.PluginDefinitionArgs):
    """Arguments of `PluginConfig`."""

    namespace: NotRequired[pulumi.Input[str]]
    """Namespace of Argo CD's repo-server (default `argocd`)."""


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

    def __init__(
        self, name: str, args: PluginConfigArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("argocd-cmp:index:PluginConfig", name, {**args}, opts)
        where = f"PluginConfig {name}"
        given = inputs.present(args)
        inputs.reject_unknown(where, given, PluginConfigArgs.__annotations__)
        namespace = inputs.checked(
            where,
            {"namespace": given.pop("namespace", argocd.NAMESPACE)},
            lambda known: dns_label("namespace", known["namespace"]),
        )
        definition = inputs.checked(where, given, plugin_yaml.define, public=tuple(given))

        # Immutable, so that scripts never change under running pods: a change makes a new
        # ConfigMap, the sidecar's reference to it rolls the pods, and only then is the old one
        # deleted. Pulumi's autonaming, not a hash of the content: going back to an earlier
        # content after a failed roll-out must not meet the object that still waits to be deleted.
        config_map = k8s.core.v1.ConfigMap(
            name,
            metadata={"namespace": namespace, "annotations": argocd.DELETE_AT_ONCE},
            immutable=True,
            data=definition.apply(
                lambda d: {plugin_yaml.FILE_NAME: d.document, **d.scripts},
            ),
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.plugin_name = definition.apply(lambda d: d.full_name)
        self.script_names = definition.apply(lambda d: sorted(d.scripts))
        self.config_map_name = config_map.metadata.apply(argocd.name_of)
        self.register_outputs(
            {
                "plugin_name": self.plugin_name,
                "config_map_name": self.config_map_name,
                "script_names": self.script_names,
            }
        )
