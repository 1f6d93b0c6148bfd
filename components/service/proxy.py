"""PluginProxy: how the repo-server reaches plugins that run as Services."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NotRequired, TypedDict

import pulumi

from ..container import image_reference, pull_secrets, user
from ..container.container import CONTAINER_PREFIX, container_name
from ..container.pull_secrets import PullSecretArgs
from ..container.user import UserArgs
from ..repo_server import patch
from ..repo_server.patch import PatchArgs
from ..shared import argocd_names, immutable_config_map, inputs, validation
from ..shared.errors import InvalidInputError
from ..shared.target import TargetArgs
from . import haproxy
from .haproxy import Endpoint, Lookup
from .pod import RepoServerProxy
from .service import PROXY_IMAGE

_DEFAULT_NAME: Final = "proxy"
_LONGEST_VOLUME_SUFFIX: Final = len("-tls99")
_LAST_PORT: Final = 65535


class LookupArgs(TypedDict):
    """How the repo-server's proxy finds the pods of plugins, and where its own metrics are."""

    cluster_domain: NotRequired[pulumi.Input[str]]
    """Domain of the cluster's Services (default `cluster.local`)."""
    nameservers: NotRequired[pulumi.Input[Sequence[pulumi.Input[str]]]]
    """Addresses and ports of DNS servers (default: those of the pod)."""
    max_pods: NotRequired[pulumi.Input[int]]
    """Most pods of one plugin that the proxy can use (default 20); more get no renders."""
    proxy_metrics_port: NotRequired[pulumi.Input[int]]
    """Port of the proxy's metrics and probes (default 8405); each proxy in a pod needs its own."""


class EndpointArgs(TypedDict):
    """A plugin in service mode; `ConfigManagementPlugin` outputs all three."""

    plugin_name: pulumi.Input[str]
    """The exact plugin name with its version."""
    host: pulumi.Input[str]
    """Its Service, as `<name>.<namespace>.svc`."""
    client_secret: pulumi.Input[str]
    """Secret with the certificate that the repo-server shows to this plugin."""


class PluginProxyArgs(TargetArgs, PatchArgs, LookupArgs, UserArgs, PullSecretArgs):
    """Arguments of `PluginProxy`."""

    plugins: Sequence[EndpointArgs]
    """All plugins in service mode: one container serves them."""
    proxy_name: NotRequired[pulumi.Input[str]]
    """End of the container's name, `cmp-<proxy_name>` (default `proxy`)."""
    plugins_volume: NotRequired[pulumi.Input[str]]
    """The repo-server's volume for plugin sockets (default `plugins`)."""
    proxy_image: NotRequired[pulumi.Input[str]]
    """Image of HAProxy 2.6 or newer with a shell (default: the official one, by digest)."""


class PluginProxy(pulumi.ComponentResource):
    """One container in the repo-server's pods, with a socket for each plugin in service mode.

    A change in the set of plugins rolls the repo-server; nothing that happens to a plugin
    does: the running proxy follows its pods, its image and the renewal of its certificate.
    """

    container_name: pulumi.Output[str]
    """Name of the container in the repo-server's pods; known once it is installed."""
    exported: pulumi.Output[dict[str, Any]]
    """What to add to the repo-server, for a `PluginExport`; empty unless `export` is set."""

    def __init__(
        self, name: str, args: PluginProxyArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        where = f"PluginProxy {name}"
        given = inputs.given(where, args, PluginProxyArgs)
        super().__init__("argocd-cmp:index:PluginProxy", name, given, opts)
        proxied = inputs.checked(where, inputs.pick(given, _PROXIED), _proxied)
        data = proxied.apply(
            lambda p: {
                haproxy.CONFIG_FILE: haproxy.repo_server_side(
                    p["endpoints"], p["lookup"], metrics_port=p["container"]["metrics_port"]
                ),
                haproxy.RUN_SCRIPT: haproxy.RUN,
            }
        )
        container = inputs.checked(where, inputs.pick(given, ("proxy_name",)), _name)
        config = immutable_config_map.make(name, where, given, data, of=container, parent=self)
        addition = pulumi.Output.all(proxied, config.name).apply(
            lambda known: RepoServerProxy(config_map_name=known[1], **known[0]["container"])
        )
        installed = patch.install(
            name,
            where,
            given,
            addition,
            container=container,
            shared_volumes=addition.apply(lambda a: {"plugins_volume": a.plugins_volume}),
            config_maps=config.manifests,
            parent=self,
        )
        self.container_name = installed.container_name
        self.exported = installed.exported
        self.register_outputs({"container_name": self.container_name, "exported": self.exported})


_PROXIED: Final = (
    *LookupArgs.__annotations__,
    *UserArgs.__annotations__,
    *PullSecretArgs.__annotations__,
    "plugins",
    "proxy_name",
    "plugins_volume",
    "proxy_image",
)


def _proxied(values: Mapping[str, Any]) -> dict[str, Any]:
    """Check what the container and its configuration are made from."""
    endpoints, secrets = _endpoints(validation.required(values, "plugins"))
    return {
        "endpoints": endpoints,
        "lookup": _lookup(values),
        "container": {
            "name": _name(values),
            "image": str(
                image_reference.image("proxy_image", values.get("proxy_image", PROXY_IMAGE))
            ),
            "client_secrets": secrets,
            "plugins_volume": validation.dns_label(
                "plugins_volume", values.get("plugins_volume", argocd_names.PLUGINS_VOLUME)
            ),
            "metrics_port": validation.port(
                "proxy_metrics_port", values.get("proxy_metrics_port", haproxy.METRICS_PORT)
            ),
            "user": user.of(values),
            "image_pull_secrets": pull_secrets.of(values),
        },
    }


def _endpoints(value: object) -> tuple[list[Endpoint], dict[str, str]]:
    endpoints: list[Endpoint] = []
    secrets: dict[str, str] = {}
    for field, item in validation.items("plugins", value, of="plugins"):
        plugin = validation.nested(field, item, EndpointArgs)
        plugin_name, host, secret = (
            validation.required(plugin, name, within=field)
            for name in ("plugin_name", "host", "client_secret")
        )
        container_name(plugin_name, f"{field}.plugin_name")
        if plugin_name in secrets:
            problem = f"lists {plugin_name} twice, but there is one socket of that name"
            raise InvalidInputError("plugins", problem, "leave one of them out")
        secrets[plugin_name] = validation.object_name(f"{field}.client_secret", secret)
        host = validation.object_name(f"{field}.host", host)
        endpoints.append(Endpoint(plugin_name=plugin_name, host=host))
    if not endpoints:
        problem = "names no plugin, so there is nothing to be a proxy for"
        raise InvalidInputError("plugins", problem, "list the plugins in service mode")
    return sorted(endpoints, key=lambda e: e.plugin_name), secrets


def _lookup(values: Mapping[str, Any]) -> Lookup:
    domain = values.get("cluster_domain", "cluster.local")
    nameservers = validation.strings("nameservers", values.get("nameservers", []))
    for address in nameservers:
        host, _, port = address.rpartition(":")
        is_port = port.isdecimal() and 0 < int(port) <= _LAST_PORT
        if not host or not is_port or any(c.isspace() for c in address):
            problem = f"has {address!r}, which is not an address with a port"
            raise InvalidInputError("nameservers", problem, "write for example 10.96.0.10:53")
    return Lookup(
        cluster_domain=validation.object_name("cluster_domain", domain),
        nameservers=nameservers,
        max_pods=validation.whole_number("max_pods", values.get("max_pods", 20), unit="pods"),
    )


def _name(values: Mapping[str, Any]) -> str:
    end = validation.line("proxy_name", values.get("proxy_name", _DEFAULT_NAME))
    name = validation.dns_label("proxy_name", f"{CONTAINER_PREFIX}{end}")
    longest = validation.DNS_LABEL_MAX - _LONGEST_VOLUME_SUFFIX
    if len(name) > longest:
        problem = f"makes the container name {name!r}, which leaves no room for its volumes' names"
        fix = f"shorten it by {len(name) - longest} characters"
        raise InvalidInputError("proxy_name", problem, fix)
    return name
