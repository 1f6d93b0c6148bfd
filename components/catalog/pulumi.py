"""PulumiPlugin: Argo CD renders Pulumi programs."""

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, cast

import pulumi

from components import inputs, sidecar, validation
from components.credentials import CredentialsArgs
from components.errors import InvalidInputError
from components.plugin import ConfigManagementPlugin, ConfigManagementPluginArgs, ModeArgs
from components.plugin_yaml import full_name
from components.repo_server import RepoServerArgs
from plugin_image import contract
from plugin_image.contract import RendererEnv

NAME = "pulumi"
VERSION = "v1.0"


class PulumiPluginArgs(CredentialsArgs, RepoServerArgs, ModeArgs):
    """Arguments of `PulumiPlugin`."""

    image: pulumi.Input[str]
    """Image with the renderer, pinned by digest; `PluginImage` outputs one."""
    version: NotRequired[pulumi.Input[str]]
    """Version in the plugin's name (default `v1.0`); two can run at once during an upgrade."""
    discovery: NotRequired[bool]
    """Also take Applications that name no plugin (default false: costs a copy per render)."""
    deadline_seconds: NotRequired[pulumi.Input[int]]
    """A render stops itself after this (default 50; Argo CD's own timeout is 60 by default)."""
    concurrency: NotRequired[pulumi.Input[int]]
    """Renders that run at once in one pod (default 2); more wait."""
    pass_env: NotRequired[pulumi.Input[Sequence[pulumi.Input[str]]]]
    """Names of the sidecar's variables that programs may see (default none)."""


class PulumiPlugin(pulumi.ComponentResource):
    """The plugin that turns Pulumi programs into manifests, installed into Argo CD."""

    plugin_name: pulumi.Output[str]
    """The exact name that Applications write as `source.plugin.name`."""
    container_name: pulumi.Output[str]
    """The container in the repo-server's pods: the plugin, its proxy, or empty without one."""
    version: pulumi.Output[str]
    """The version in the plugin's name."""
    mode: pulumi.Output[str]
    """`sidecar` or `service`."""
    service_host: pulumi.Output[str]
    """Name of its Service, for a `PluginProxy`; empty in sidecar mode."""
    client_secret_name: pulumi.Output[str]
    """Secret with the certificate for a `PluginProxy`; empty in sidecar mode."""

    def __init__(
        self, name: str, args: PulumiPluginArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("argocd-cmp:index:PulumiPlugin", name, None, opts)
        where = f"PulumiPlugin {name}"
        given = inputs.present(args)
        inputs.reject_unknown(where, given, PulumiPluginArgs.__annotations__)
        discovery = inputs.plain_flag(where, given, "discovery", default=False)
        given.pop("discovery", None)
        version = given.pop("version", VERSION)
        settings = {field: given.pop(field) for field in _SETTINGS if field in given}
        env = inputs.checked_input(
            where, settings | {"env": given.pop("env", {})}, renderer_env, public=("env",)
        )
        definition: dict[str, Any] = {
            "plugin_name": NAME,
            "version": version,
            "generate_command": _renderer("generate"),
            "dynamic_parameters_command": _renderer("parameters"),
            "entrypoint": list(contract.INIT),
            "probe_command": inputs.checked_input(where, {"version": version}, probe_command),
            "env": env,
        }
        if discovery:
            definition["discover_find_command"] = _renderer("discover")
        plugin = ConfigManagementPlugin(
            name,
            cast(ConfigManagementPluginArgs, definition | given),
            pulumi.ResourceOptions(parent=self),
        )
        self.plugin_name = plugin.plugin_name
        self.container_name = plugin.container_name
        self.version = pulumi.Output.from_input(version)
        self.mode = plugin.mode
        self.service_host = plugin.service_host
        self.client_secret_name = plugin.client_secret_name
        self.register_outputs(
            {
                "plugin_name": self.plugin_name,
                "container_name": self.container_name,
                "version": self.version,
                "mode": self.mode,
                "service_host": self.service_host,
                "client_secret_name": self.client_secret_name,
            }
        )


_SETTINGS = ("deadline_seconds", "concurrency", "pass_env")


def renderer_env(values: Mapping[str, Any]) -> dict[str, str]:
    """Return the sidecar's variables: those given, and those that set up the renderer."""
    deadline = values.get("deadline_seconds", contract.DEFAULT_DEADLINE_SECONDS)
    concurrency = values.get("concurrency", contract.DEFAULT_CONCURRENCY)
    pass_env = validation.strings("pass_env", values.get("pass_env", []))
    for variable in pass_env:
        validation.env_name("pass_env", variable)
    ours = {
        RendererEnv.DEADLINE.value: str(
            validation.whole_number("deadline_seconds", deadline, unit="seconds")
        ),
        RendererEnv.CONCURRENCY.value: str(
            validation.whole_number("concurrency", concurrency, unit="renders")
        ),
        RendererEnv.CACHE_DIR.value: contract.CACHE_DIR,
    }
    if pass_env:
        ours[RendererEnv.PASS_ENV.value] = ",".join(pass_env)
    env = validation.string_map("env", values["env"])
    for variable in ours:
        if variable in env:
            problem = f"sets {variable}, which this component sets"
            raise InvalidInputError("env", problem, "use the argument of that name")
    return env | ours


def probe_command(values: Mapping[str, Any]) -> list[str]:
    """Return the renderer's own probe, which asks the socket for an answer, not for existence."""
    socket = sidecar.socket_path(full_name(NAME, values["version"]))
    return [contract.RENDERER_COMMAND, "probe", socket]


def _renderer(verb: str) -> list[str]:
    return [contract.RENDERER_COMMAND, "pulumi", verb]
