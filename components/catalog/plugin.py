"""ConfigManagementPlugin: any plugin, next to Argo CD's repo-server or as a Service of its own."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NotRequired, cast

import pulumi

from ..container import credentials, plugin_yaml
from ..container.args import MetricsCommandArgs, PluginContainerArgs
from ..container.config_map import PluginConfig, PluginConfigArgs
from ..container.container import CONTAINER_PREFIX, container_name
from ..container.credentials import (
    CredentialsArgs,
    PluginCredentials,
    PluginCredentialsArgs,
)
from ..container.plugin_yaml import PluginDefinitionArgs, PluginNameArgs, PluginOptionsArgs
from ..container.pull_secrets import PullSecretArgs
from ..container.user import UserArgs
from ..repo_server import patch
from ..repo_server.patch import PatchArgs
from ..repo_server.sidecar import (
    AskPassArgs,
    RepoServerArgs,
    RepoServerSidecar,
    RepoServerSidecarArgs,
)
from ..service import certificates, service
from ..service.certificates import (
    CertificateArgs,
    ServiceCertificates,
    ServiceCertificatesArgs,
)
from ..service.proxy import LookupArgs, PluginProxy, PluginProxyArgs
from ..service.service import PluginService, PluginServiceArgs, ServiceArgs
from ..shared import immutable_config_map, inputs, validation
from ..shared.errors import InvalidInputError
from ..shared.rights import Right
from ..shared.target import TargetArgs
from . import pod_monitor
from .mode import SERVICE, SIDECAR, ModeArgs, refuse_unread
from .mode import of as mode_of
from .pod_monitor import PodMonitorArgs

_PROXY: Final = (
    *TargetArgs.__annotations__,
    *PatchArgs.__annotations__,
    *LookupArgs.__annotations__,
    *UserArgs.__annotations__,
    *PullSecretArgs.__annotations__,
    "plugins_volume",
    "proxy_image",
)
"""Arguments that a plugin's own proxy has in common with it."""


class ConfigManagementPluginArgs(
    PluginNameArgs,
    PluginOptionsArgs,
    CredentialsArgs,
    RepoServerArgs,
    AskPassArgs,
    MetricsCommandArgs,
    PodMonitorArgs,
    ModeArgs,
):
    """Arguments of `ConfigManagementPlugin`."""

    image: pulumi.Input[str]
    """Image reference, pinned by digest; `PluginImage` outputs one."""
    generate_command: NotRequired[pulumi.Input[Sequence[pulumi.Input[str]]]]
    """Command that prints the manifests, in the Application's folder; needed for a plugin.yaml."""
    plugin_yaml_in_image: NotRequired[bool]
    """The image has a plugin.yaml of its own (default false). Name and version must be its own."""


_IN_PLUGIN_YAML: Final = (
    PluginDefinitionArgs.__annotations__.keys() - PluginNameArgs.__annotations__.keys()
)
_READ_BY_SIDECARS: Final = frozenset(ConfigManagementPluginArgs.__annotations__) - (
    ModeArgs.__annotations__.keys() - {"mode"}
)


def needed_rights(namespace: str, given: Mapping[str, Any]) -> list[Right]:
    """Rights that the account needs to install the plugin. Raises InvalidInputError."""
    mode = mode_of(given)
    needed: list[Right] = []
    if _patches(given):
        needed += patch.needed_rights(namespace, given)
    if mode == SERVICE:
        needed += service.needed_rights(namespace, given)
        needed += certificates.needed_rights(namespace, given)
    elif not given.get("export") and not given.get("plugin_yaml_in_image"):
        needed += immutable_config_map.needed_rights(namespace)
    if mode == SERVICE or not given.get("export"):
        needed += pod_monitor.needed_rights(namespace, given)
    return needed + credentials.needed_rights(namespace, given)


def previewed_rights(namespace: str, given: Mapping[str, Any]) -> list[Right]:
    """Those of the needed rights that a preview takes, too."""
    found = patch.previewed_rights(namespace, given) if _patches(given) else []
    if not found and mode_of(given) == SERVICE:
        return service.previewed_rights(namespace, given)
    return found


def _patches(given: Mapping[str, Any]) -> bool:
    return mode_of(given) == SIDECAR or bool(given.get("own_proxy", True))


class ConfigManagementPlugin(pulumi.ComponentResource):
    """One config management plugin: its definition, its credentials, and where it runs.

    Applications do not see which mode it runs in: its name and what it renders are the same.
    """

    plugin_name: pulumi.Output[str]
    """The exact name that Applications write as `source.plugin.name`; known once installed."""
    container_name: pulumi.Output[str]
    """The container in the repo-server's pods: the plugin's or its proxy's; empty without one."""
    mode: pulumi.Output[str]
    """`sidecar` or `service`."""
    service_host: pulumi.Output[str]
    """Name of its Service, for a `PluginProxy`; empty in sidecar mode."""
    client_secret_name: pulumi.Output[str]
    """Secret with the certificate for a `PluginProxy`; empty in sidecar mode."""
    exported: pulumi.Output[dict[str, Any]]
    """What to add to the repo-server, for a `PluginExport`; empty unless `export` is set."""

    def __init__(
        self,
        name: str,
        args: ConfigManagementPluginArgs,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        where = f"ConfigManagementPlugin {name}"
        given = inputs.given(where, args, ConfigManagementPluginArgs)
        super().__init__("argocd-cmp:index:ConfigManagementPlugin", name, None, opts)
        mode = inputs.located(where, lambda: mode_of(given))
        own_proxy = inputs.plain_flag(where, given, "own_proxy", default=True)
        in_image = inputs.plain_flag(where, given, "plugin_yaml_in_image", default=False)
        if in_image:
            inputs.located(where, lambda: _refuse_definition(given))
        else:
            inputs.located(where, lambda: _check_git_creds(given, mode))
        inputs.located(
            where, lambda: refuse_unread(given, mode, _READ_BY_SIDECARS, own_proxy=own_proxy)
        )
        is_monitored = pod_monitor.wanted(where, given, is_service=mode == SERVICE)

        export = inputs.plain_flag(where, given, "export", default=False)
        # In service mode it is the proxy alone, which has none.
        exports_plugin = export and mode == SIDECAR
        if exports_plugin:
            inputs.located(where, lambda: _refuse_credentials(given))

        container, plugin_name = self._container(name, where, given, export=exports_plugin)
        nothing = pulumi.Output.from_input("")
        self.service_host = self.client_secret_name = nothing
        no_addition: dict[str, Any] = {}
        self.exported = pulumi.Output.from_input(no_addition)
        if mode == SIDECAR:
            sidecar = RepoServerSidecar(
                f"{name}-sidecar", cast(RepoServerSidecarArgs, container), self._child()
            )
            self.container_name = installed = sidecar.container_name
            self.exported = sidecar.exported
        else:
            self._run_as_service(name, given, container)
            installed = self.service_host
            self.container_name = nothing
            if own_proxy:
                self.container_name = installed = self._make_proxy(name, given, plugin_name)
        if is_monitored:
            self._monitor(name, where, given, plugin_name)

        # Known only once it is installed: what names the plugin has to wait for that.
        self.plugin_name = pulumi.Output.all(plugin_name, installed).apply(
            lambda known: str(known[0])
        )
        self.mode = pulumi.Output.from_input(mode)
        self.register_outputs(
            {
                "plugin_name": self.plugin_name,
                "container_name": self.container_name,
                "mode": self.mode,
                "service_host": self.service_host,
                "client_secret_name": self.client_secret_name,
                "exported": self.exported,
            }
        )

    def _container(
        self, name: str, where: str, given: Mapping[str, Any], *, export: bool
    ) -> tuple[dict[str, Any], pulumi.Output[str]]:
        """Make what the plugin's container mounts; return its arguments and the plugin's name."""
        namespace = inputs.pick(given, ("namespace",))
        taken = (
            *RepoServerArgs.__annotations__,
            *AskPassArgs.__annotations__,
            *MetricsCommandArgs.__annotations__,
        )
        container = inputs.pick(given, taken) | {"image": given.get("image")}
        if given.get("plugin_yaml_in_image"):
            named = inputs.pick(given, PluginNameArgs.__annotations__)
            plugin_name = inputs.checked(where, named, plugin_yaml.full_name_of)
        else:
            definition = inputs.pick(given, PluginDefinitionArgs.__annotations__) | namespace
            definition["export"] = export
            config = PluginConfig(
                f"{name}-config", cast(PluginConfigArgs, definition), self._child()
            )
            plugin_name = config.plugin_name
            container |= {
                "config_map_name": config.config_map_name,
                "script_names": config.script_names,
                "config_maps": config.manifests,
            }
        container["plugin_name"] = plugin_name
        if credentials := inputs.pick(given, CredentialsArgs.__annotations__):
            secret = PluginCredentials(
                f"{name}-credentials",
                cast(PluginCredentialsArgs, credentials | namespace),
                self._child(),
            )
            container |= {
                "secret_name": secret.secret_name,
                "secret_env_keys": secret.env_keys,
                "secret_file_keys": secret.file_keys,
            }
        return container, plugin_name

    def _run_as_service(
        self, name: str, given: Mapping[str, Any], container: Mapping[str, Any]
    ) -> None:
        certificates = ServiceCertificates(
            f"{name}-certificates",
            cast(
                ServiceCertificatesArgs,
                inputs.pick(given, (*CertificateArgs.__annotations__, "namespace"))
                | {"plugin_name": container["plugin_name"]},
            ),
            self._child(),
        )
        service = PluginService(
            f"{name}-service",
            cast(
                PluginServiceArgs,
                inputs.pick(given, ServiceArgs.__annotations__)
                | inputs.pick(container, PluginContainerArgs.__annotations__)
                | {"certificate_secret": certificates.server_secret_name},
            ),
            self._child(),
        )
        self.service_host = service.service_host
        self.client_secret_name = certificates.client_secret_name

    def _make_proxy(
        self, name: str, given: Mapping[str, Any], plugin_name: pulumi.Output[str]
    ) -> pulumi.Output[str]:
        args = inputs.pick(given, _PROXY) | {
            "proxy_name": plugin_name.apply(
                lambda known: f"{container_name(known).removeprefix(CONTAINER_PREFIX)}-proxy"
            ),
            "plugins": [
                {
                    "plugin_name": plugin_name,
                    "host": self.service_host,
                    "client_secret": self.client_secret_name,
                }
            ],
        }
        proxy = PluginProxy(f"{name}-proxy", cast(PluginProxyArgs, args), self._child())
        self.exported = proxy.exported
        return proxy.container_name

    def _monitor(
        self, name: str, where: str, given: Mapping[str, Any], plugin_name: pulumi.Output[str]
    ) -> None:
        """Make the PodMonitor, or export it with the container that it finds."""
        container = plugin_name.apply(container_name)
        is_service = mode_of(given) == SERVICE
        found = pod_monitor.manifest(where, given, container, is_service=is_service)
        if given.get("export") and not is_service:
            self.exported = pulumi.Output.all(self.exported, found).apply(
                lambda known: {**known[0], "podMonitors": [known[1]]}
            )
        else:
            pod_monitor.make(name, given, found, container, self)

    def _child(self) -> pulumi.ResourceOptions:
        return pulumi.ResourceOptions(parent=self)


def _refuse_credentials(given: Mapping[str, Any]) -> None:
    """Refuse values: a new Secret would replace the one that running pods refer to."""
    for field in ("credentials_env", "credentials_files"):
        if field in given:
            problem = "cannot be combined with export: a new value would replace a Secret in use"
            raise InvalidInputError(field, problem, "put it into a Secret, and set existing_secret")


def _refuse_definition(given: Mapping[str, Any]) -> None:
    """Refuse what a plugin.yaml would say: the image's own is the one that cmp-server reads."""
    for field in given:
        if field in _IN_PLUGIN_YAML:
            problem = (
                "is part of a plugin.yaml, and plugin_yaml_in_image says the image has its own"
            )
            fix = "say it there, or leave plugin_yaml_in_image out"
            raise InvalidInputError(field, problem, fix)


def _check_git_creds(given: Mapping[str, Any], mode: str) -> None:
    """Refuse credentials that could never arrive, and a socket that nothing would use."""
    wanted = validation.flag("provide_git_creds", given.get("provide_git_creds", False))
    if wanted and mode == SERVICE:
        problem = (
            "is true in service mode, but the socket and the files behind these credentials are in "
            "the repo-server's own pod, so git would get none"
        )
        fix = "use mode sidecar, or give the plugin credentials of its own"
        raise InvalidInputError("provide_git_creds", problem, fix)
    if "ask_pass_volume" in given and not wanted:
        problem = "is set without provide_git_creds, so Argo CD would never name the socket"
        raise InvalidInputError(
            "ask_pass_volume", problem, "set provide_git_creds, or leave it out"
        )
