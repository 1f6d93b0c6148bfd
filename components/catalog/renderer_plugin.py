"""RendererPlugin: what all plugins of the catalogue have in common.

Each is an image with the command `renderer`, which has a command group of the plugin's
name: `renderer pulumi generate`, `renderer kpt generate`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NotRequired, cast

import pulumi

from ..container import container, metrics
from ..container.credentials import CredentialsArgs
from ..container.plugin_yaml import full_name
from ..repo_server.sidecar import RepoServerArgs
from ..shared import contract, inputs, validation
from ..shared.contract import RendererEnv
from ..shared.errors import InvalidInputError
from .mode import ModeArgs
from .plugin import ConfigManagementPlugin, ConfigManagementPluginArgs
from .pod_monitor import PodMonitorArgs

VERSION: Final = "v1.0"
METRICS_COMMAND: Final = (
    contract.RENDERER_COMMAND,
    "metrics",
    contract.METRICS_SOCKET,
    "--address",
    metrics.ADDRESS,
    "--port",
    metrics.PORT,
)


class RendererPluginArgs(CredentialsArgs, RepoServerArgs, PodMonitorArgs, ModeArgs):
    """Arguments of every plugin of the catalogue."""

    image: pulumi.Input[str]
    """Image with the renderer, pinned by digest; `PluginImage` outputs one."""
    version: NotRequired[pulumi.Input[str]]
    """Version in the plugin's name (default `v1.0`); two can run at once during an upgrade."""
    discovery: NotRequired[bool]
    """Also take Applications that name no plugin (default false: costs a copy per render)."""
    deadline_seconds: NotRequired[pulumi.Input[int]]
    """Seconds after which a render stops itself (default 50; Argo CD's own default is 60)."""
    concurrency: NotRequired[pulumi.Input[int]]
    """Renders that run at once in one pod (default 2); more wait."""


def no_variables(_values: Mapping[str, Any]) -> dict[str, str]:
    """Return the variables of a renderer that has no settings of its own."""
    return {}


def passed_variables(values: Mapping[str, Any]) -> dict[str, str]:
    """Return the variable that says which of the sidecar's variables programs may see."""
    pass_env = validation.strings("pass_env", values.get("pass_env", []))
    for variable in pass_env:
        validation.env_name("pass_env", variable)
    key = RendererEnv.RANDOM_KEY.value
    if key in pass_env:
        problem = f"names {key}, with which a program could make the random values of all others"
        raise InvalidInputError("pass_env", problem, "leave it out")
    return {RendererEnv.PASS_ENV.value: ",".join(pass_env)} if pass_env else {}


@dataclass(frozen=True, kw_only=True)
class Renderer:
    """What distinguishes one plugin of the catalogue from the others."""

    name: str
    """The plugin's name without its version; also that of its command group."""
    args: type
    """The component's arguments: RendererPluginArgs, and its own settings."""
    settings: Sequence[str] = ()
    """Arguments that set up this renderer alone."""
    variables: Callable[[Mapping[str, Any]], dict[str, str]] = no_variables
    """Checks those settings, and returns the variables by which the renderer gets them."""
    discover_file: str = ""
    """A file that a source of this kind has; if empty, the renderer's `discover` decides."""

    def env(self, values: Mapping[str, Any]) -> dict[str, str]:
        """Return the sidecar's variables: those given, and those that set up the renderer."""
        deadline = values.get("deadline_seconds", contract.DEFAULT_DEADLINE_SECONDS)
        concurrency = values.get("concurrency", contract.DEFAULT_CONCURRENCY)
        ours = {
            RendererEnv.DEADLINE.value: str(
                validation.whole_number("deadline_seconds", deadline, unit="seconds")
            ),
            RendererEnv.CONCURRENCY.value: str(
                validation.whole_number("concurrency", concurrency, unit="renders")
            ),
            RendererEnv.CACHE_DIR.value: contract.CACHE_DIR,
        } | self.variables(values)
        if "work_size" in values:
            volume = validation.amount(validation.size("work_size", values["work_size"]))
            # Packages that are still being installed come on top.
            ours[RendererEnv.CACHE_BYTES.value] = str(int(volume * 3 / 4))
        if "metrics_port" in values:
            ours[RendererEnv.METRICS_SOCKET.value] = contract.METRICS_SOCKET
        env = validation.string_map("env", values["env"])
        key = RendererEnv.RANDOM_KEY.value
        if key in env:
            problem = f"sets {key}, which is a credential, in plain in the pod's spec"
            raise InvalidInputError("env", problem, "set it in credentials_env")
        for variable in ours:
            if variable in env:
                problem = f"sets {variable}, which this component sets"
                raise InvalidInputError("env", problem, "use the argument of that name")
        return env | ours

    def command(self, verb: str) -> list[str]:
        """Return the command that plugin.yaml calls."""
        return [contract.RENDERER_COMMAND, self.name, verb]

    def probe_command(self, values: Mapping[str, Any]) -> list[str]:
        """Return the renderer's probe: the socket must answer, not merely exist."""
        socket = container.socket_path(full_name(self.name, values["version"]))
        return [contract.RENDERER_COMMAND, "probe", socket]


class RendererPlugin(pulumi.ComponentResource):
    """A plugin of the catalogue, installed into Argo CD."""

    plugin_name: pulumi.Output[str]
    """The exact name that Applications write as `source.plugin.name`."""
    container_name: pulumi.Output[str]
    """The container in the repo-server's pods: the plugin's or its proxy's; empty without one."""
    version: pulumi.Output[str]
    """The version in the plugin's name."""
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
        renderer: Renderer,
        name: str,
        args: Mapping[str, Any],
        opts: pulumi.ResourceOptions | None,
    ) -> None:
        """Install the plugin; `args` are those of `renderer.args`."""
        kind = type(self).__name__
        where = f"{kind} {name}"
        given = inputs.given(where, args, renderer.args)
        super().__init__(f"argocd-cmp:index:{kind}", name, None, opts)
        discovery = inputs.plain_flag(where, given, "discovery", default=False)
        given.pop("discovery", None)
        version = given.pop("version", VERSION)
        of_env = ("deadline_seconds", "concurrency", *renderer.settings)
        settings = {field: given.pop(field) for field in of_env if field in given}
        settings["env"] = given.pop("env", {})
        # The pod needs these, too.
        settings |= inputs.pick(given, ("work_size", "metrics_port"))
        definition: dict[str, Any] = {
            "plugin_name": renderer.name,
            "version": version,
            "generate_command": renderer.command("generate"),
            "dynamic_parameters_command": renderer.command("parameters"),
            "entrypoint": list(contract.INIT),
            "probe_command": inputs.checked_input(
                where, {"version": version}, renderer.probe_command
            ),
            "env": inputs.checked_input(where, settings, renderer.env),
        }
        if "metrics_port" in given:
            definition["metrics_command"] = METRICS_COMMAND
        if discovery and renderer.discover_file:
            definition["discover_file_name"] = renderer.discover_file
        elif discovery:
            definition["discover_find_command"] = renderer.command("discover")
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
        self.exported = plugin.exported
        self.register_outputs(
            {
                "plugin_name": self.plugin_name,
                "container_name": self.container_name,
                "version": self.version,
                "mode": self.mode,
                "service_host": self.service_host,
                "client_secret_name": self.client_secret_name,
                "exported": self.exported,
            }
        )
