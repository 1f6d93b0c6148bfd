"""ConfigManagementPlugin: any plugin, installed next to Argo CD's repo-server."""

from collections.abc import Collection, Mapping
from typing import Any, cast

import pulumi

from components import inputs
from components.config_map import PluginConfig, PluginConfigArgs
from components.credentials import CredentialsArgs, PluginCredentials, PluginCredentialsArgs
from components.plugin_yaml import PluginDefinitionArgs
from components.repo_server import RepoServerArgs, RepoServerSidecar, RepoServerSidecarArgs


class ConfigManagementPluginArgs(PluginDefinitionArgs, CredentialsArgs, RepoServerArgs):
    """Arguments of `ConfigManagementPlugin`."""

    image: pulumi.Input[str]
    """Image reference, pinned by digest; `PluginImage` outputs one."""


class ConfigManagementPlugin(pulumi.ComponentResource):
    """One config management plugin: its definition, its credentials and its sidecar."""

    plugin_name: pulumi.Output[str]
    """The exact name that Applications write as `source.plugin.name`; known once installed."""
    container_name: pulumi.Output[str]
    """Name of the sidecar container in the repo-server's pods."""

    def __init__(
        self,
        name: str,
        args: ConfigManagementPluginArgs,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("argocd-cmp:index:ConfigManagementPlugin", name, None, opts)
        given = inputs.present(args)
        inputs.reject_unknown(
            f"ConfigManagementPlugin {name}", given, ConfigManagementPluginArgs.__annotations__
        )
        namespace = _pick(given, ("namespace",))
        child = pulumi.ResourceOptions(parent=self)

        config = PluginConfig(
            f"{name}-config",
            cast(PluginConfigArgs, _pick(given, PluginDefinitionArgs.__annotations__) | namespace),
            child,
        )
        credentials = _pick(given, CredentialsArgs.__annotations__)
        sidecar_args = _pick(given, RepoServerArgs.__annotations__) | {
            "image": given.get("image"),
            "plugin_name": config.plugin_name,
            "config_map_name": config.config_map_name,
            "script_names": config.script_names,
        }
        if credentials:
            secret = PluginCredentials(
                f"{name}-credentials",
                cast(PluginCredentialsArgs, credentials | namespace),
                child,
            )
            sidecar_args |= {
                "secret_name": secret.secret_name,
                "secret_env_keys": secret.env_keys,
                "secret_file_keys": secret.file_keys,
            }
        sidecar = RepoServerSidecar(
            f"{name}-sidecar", cast(RepoServerSidecarArgs, sidecar_args), child
        )

        # Not before the sidecar is installed: what is named after the plugin has to wait for it.
        self.plugin_name = pulumi.Output.all(config.plugin_name, sidecar.container_name).apply(
            lambda known: str(known[0])
        )
        self.container_name = sidecar.container_name
        self.register_outputs(
            {"plugin_name": self.plugin_name, "container_name": self.container_name}
        )


def _pick(given: Mapping[str, Any], fields: Collection[str]) -> dict[str, Any]:
    return {field: value for field, value in given.items() if field in fields}
