"""HAProxy on both sides of service mode, as text: its configuration and how it is run.

Pure: takes checked values. HTTP/2 ends in HAProxy on each side, never merely passes through:
the repo-server would wait for ever, with its repository locked, on a relay that accepts and
then closes. What ends HTTP/2 answers at once, even when no pod of the plugin is up.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ..container import container

PORT: Final = 8443
"""Where a plugin's pod takes renders, and nothing but them, by mutual TLS."""
METRICS_PORT: Final = 8405
CLIENT_IDENTITY: Final = "argocd-repo-server"
"""Common name of the only certificate that a plugin's pod takes renders from."""

CONFIG_DIR: Final = "/opt/cmp-proxy/config"
TLS_DIR: Final = "/opt/cmp-proxy/tls"
CONFIG_FILE: Final = "haproxy.cfg"
RUN_SCRIPT: Final = "run.sh"
"""Keys of the ConfigMap."""
CERTIFICATE: Final = "tls.crt"
PRIVATE_KEY: Final = "tls.key"
AUTHORITY: Final = "ca.crt"
"""Keys of a Secret with a certificate, as cert-manager names them."""

HEALTH_PATH: Final = "/healthz"
"""Whether renders can be taken."""
ALIVE_PATH: Final = "/livez"
"""Whether HAProxy answers at all."""
METRICS_PATH: Final = "/metrics"

DRAINING: Final = ".draining"
DRAINED: Final = ".drained"
"""Files in the folder of sockets of a plugin's pod: HAProxy is to end soon, and has ended."""


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """A plugin in service mode, as the repo-server's pod finds it."""

    plugin_name: str
    host: str
    """Its Service, as `<name>.<namespace>.svc`. Its certificate must be for this name."""


@dataclass(frozen=True, kw_only=True)
class Lookup:
    """How the pods behind a headless Service are found."""

    cluster_domain: str
    nameservers: Sequence[str]
    """Address and port of each; none means those of the pod."""
    max_pods: int
    """Pods of one plugin that can be told apart; more get no renders."""


def repo_server_side(
    endpoints: Sequence[Endpoint], lookup: Lookup, *, metrics_port: int = METRICS_PORT
) -> str:
    """Return the configuration of the container in the repo-server's pod."""
    # The repo-server asks, and renders, on one connection, and cannot open another: a worker that
    # is replaced must not tell it to go away in between. Pods of a plugin should: they have to end.
    parts = [_common("close-spread-time infinite"), _resolvers(lookup), _metrics(metrics_port)]
    parts += [_to_plugin(endpoint, lookup) for endpoint in endpoints]
    return "\n".join(parts)


def plugin_side(plugin_name: str) -> str:
    """Return the configuration of the container in a plugin's own pods."""
    healthy = [
        f"http-request return status 200 if {{ path {HEALTH_PATH} }} {{ nbsrv(plugin) ge 1 }}",
        f"http-request return status 503 if {{ path {HEALTH_PATH} }}",
    ]
    socket = container.socket_path(plugin_name)
    renders = [
        f'bind "${{POD_IP}}:{PORT}" ssl crt {TLS_DIR}/{CERTIFICATE} ca-file {TLS_DIR}/{AUTHORITY}'
        " verify required alpn h2,http/1.1",
        # The authority may have signed others, too: a plugin is not a repo-server.
        f"tcp-request session reject unless {{ ssl_c_s_dn(CN) -m str {CLIENT_IDENTITY} }}",
        *healthy,
        "default_backend plugin",
    ]
    plugin = [f"server plugin unix@{socket} proto h2 check inter 1s fall 1 rise 1"]
    return "\n".join(
        [
            _common(),
            _metrics(METRICS_PORT, *healthy),
            _section("frontend renders", renders),
            _section("backend plugin", plugin),
        ]
    )


def tls_folder(plugin_name: str) -> str:
    """Return where the repo-server's side has the certificate that it shows to a plugin."""
    return f"{TLS_DIR}/{plugin_name}"


def _common(*more: str) -> str:
    limits = [
        # Otherwise asked of the kernel, which in a container may answer a thousand million.
        "maxconn 2000",
        # How long the last requests before a reload or the end may still take.
        "hard-stop-after 15m",
        "log stdout format raw local0 info",
        # tls.key beside tls.crt, as Kubernetes has them.
        "ssl-load-extra-files key",
        "ssl-load-extra-del-ext",
        "ssl-default-bind-options ssl-min-ver TLSv1.3",
        "ssl-default-server-options ssl-min-ver TLSv1.3",
        # A repository is one long upload; with the default of 64 KiB it waits for the other side.
        "tune.h2.initial-window-size 1048576",
    ]
    defaults = [
        "mode http",
        "log global",
        "option httplog",
        "option dontlog-normal",
        # Argo CD asks three times, a second apart, and its error is to come within three seconds:
        # what is left has to do for a pod that has vanished and for another one after it. It is
        # for TLS, too, and a check has a second for all of it, so no `timeout check`.
        "timeout connect 350ms",
        # Argo CD's own deadlines end a render long before; these only clear up after it.
        "timeout client 15m",
        "timeout server 15m",
        # A request that was sent may have been run, and its body is gone.
        "retry-on conn-failure",
        # Once, and on another pod if there is one.
        "retries 1",
        "option redispatch 1",
        # An idle connection may be closed by the other side at the moment it is used again.
        "http-reuse never",
    ]
    return "\n".join([_section("global", [*limits, *more]), _section("defaults", defaults)])


def _resolvers(lookup: Lookup) -> str:
    servers = [f"nameserver ns{i} {address}" for i, address in enumerate(lookup.nameservers)]
    return _section(
        "resolvers cluster",
        [
            *(servers or ["parse-resolv-conf"]),
            "accepted_payload_size 8192",
            "resolve_retries 3",
            "timeout resolve 1s",
            "timeout retry 1s",
            "hold valid 1s",
        ],
    )


def _metrics(port: int, *health: str) -> str:
    return _section(
        # No plugin has such a name.
        "frontend of:metrics",
        [
            f'bind "${{POD_IP}}:{port}"',
            *health,
            f"http-request return status 200 if {{ path {ALIVE_PATH} }}",
            f"http-request use-service prometheus-exporter if {{ path {METRICS_PATH} }}",
            "http-request return status 404",
        ],
    )


def _to_plugin(endpoint: Endpoint, lookup: Lookup) -> str:
    name, folder = endpoint.plugin_name, tls_folder(endpoint.plugin_name)
    tls = (
        f"ssl crt {folder}/{CERTIFICATE} ca-file {folder}/{AUTHORITY} verify required"
        f" verifyhost {endpoint.host} sni str({endpoint.host}) check-sni {endpoint.host}"
        # A health check is HTTP/1; with what renders negotiate, the answer would not be HTTP.
        " alpn h2 check-alpn http/1.1"
    )
    frontend = [
        f"bind unix@{container.socket_path(name)} mode 600 proto h2",
        f"default_backend {name}",
    ]
    # Nothing waits a second time for a pod that did not answer, until a health check finds it.
    lost = "observe layer4 error-limit 1 on-error mark-down"
    backend = [
        "balance leastconn",
        f"option httpchk GET {HEALTH_PATH}",
        f"default-server {tls} check inter 1s fastinter 250ms fall 2 rise 1 {lost} pool-max-conn 0",
        f"server-template pod {lookup.max_pods} {endpoint.host}.{lookup.cluster_domain}:{PORT}"
        " resolvers cluster resolve-prefer ipv4 init-addr none",
    ]
    return "\n".join([_section(f"frontend {name}", frontend), _section(f"backend {name}", backend)])


def _section(title: str, lines: Sequence[str]) -> str:
    return "".join([f"{title}\n", *(f"    {line}\n" for line in lines)])


RUN: Final = f"""\
#!/bin/sh
# Runs HAProxy, lets it load a changed certificate, and at the end lets requests finish.
# $1: a folder for two files, by which the plugin's container knows when it may end.
set -u
config={CONFIG_DIR}/{CONFIG_FILE}
signals=${{1:-}}
certificates() {{ cat {TLS_DIR}/*.* {TLS_DIR}/*/*.* 2>/dev/null | cksum; }}

[ -z "$signals" ] || rm -f "$signals/{DRAINING}" "$signals/{DRAINED}"
loaded=$(certificates)
haproxy -W -db -f "$config" &
haproxy=$!
ending=
trap 'ending=yes; kill -USR1 "$haproxy"' TERM INT USR1

while kill -0 "$haproxy" 2>/dev/null; do
    sleep 2 &
    wait $! 2>/dev/null
    present=$(certificates)
    # Loading once more would undo the end. What does not fit yet is tried again: a Secret may be
    # half-way through its renewal.
    if [ -z "$ending" ] && [ "$present" != "$loaded" ] && haproxy -c -q -f "$config"; then
        loaded=$present
        kill -USR2 "$haproxy"
    fi
done
wait "$haproxy"
status=$?
[ -z "$signals" ] || touch "$signals/{DRAINED}"
exit "$status"
"""
