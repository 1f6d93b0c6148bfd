"""The pods of service mode, as Kubernetes objects: the plugin's own, and the repo-server's proxy.

Pure: takes checked values, returns what goes into a pod template. The plugin's container is
the one of sidecar mode, with its volumes; only what surrounds it differs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from ..container import pull_secrets
from ..container.container import Json, PluginContainer, socket_path
from ..container.user import ARGO_CD, User
from ..shared import contract
from ..shared.argocd_names import PLUGINS_VOLUME, VAR_FILES_VOLUME
from . import haproxy

ARGOCD_BINARY: Final = "/usr/local/bin/argocd"
"""All of Argo CD's programs, in Argo CD's image."""

_SPREAD_OVER: Final = ("kubernetes.io/hostname", "topology.kubernetes.io/zone")
_PROXY: Final = "proxy"
_CONFIG_VOLUME: Final = "proxy-config"
_TLS_VOLUME: Final = "proxy-tls"
_OWNER_AND_GROUP = 0o440
_EVERYBODY = 0o444


@dataclass(frozen=True, kw_only=True)
class Placement:
    """Where the pods of a plugin may run, and as whom."""

    service_account: str
    mount_token: bool
    node_selector: Mapping[str, str]
    tolerations: Sequence[Mapping[str, Any]]
    affinity: Mapping[str, Any]
    topology_spread_constraints: Sequence[Mapping[str, Any]] | None
    """None is the default: spread over nodes and zones, as far as there are any."""
    priority_class: str | None
    fs_group: int | None
    """The group of the pod's volumes; None is the cluster's choice."""
    selector: Mapping[str, str]
    """Labels of these pods and of no others; by these they are counted when they are spread."""

    def spec(self) -> Json:
        """Return the part of a pod's spec that says where and as whom it runs."""
        optional = {
            "securityContext": {} if self.fs_group is None else {"fsGroup": self.fs_group},
            # As Argo CD's own pods have it: images are for Linux.
            "nodeSelector": {"kubernetes.io/os": "linux", **self.node_selector},
            "tolerations": [dict(toleration) for toleration in self.tolerations],
            "affinity": dict(self.affinity),
            "topologySpreadConstraints": self._spread(),
            "priorityClassName": self.priority_class,
        }
        return {
            "serviceAccountName": self.service_account,
            "automountServiceAccountToken": self.mount_token,
            **{field: value for field, value in optional.items() if value},
        }

    def _spread(self) -> list[Json]:
        selector = {"labelSelector": {"matchLabels": dict(self.selector)}}
        constraints = self.topology_spread_constraints
        if constraints is None:
            # Better two on one node than one that waits for another node.
            how = {"maxSkew": 1, "whenUnsatisfiable": "ScheduleAnyway"}
            constraints = [{"topologyKey": over, **how} for over in _SPREAD_OVER]
        return [{**selector, **constraint} for constraint in constraints]


@dataclass(frozen=True, kw_only=True)
class ServicePod:
    """A pod of a plugin in service mode: the plugin, and HAProxy in front of it."""

    plugin: PluginContainer
    argocd_image: str
    """Provides cmp-server: the repo-server's image, so that both speak the same protocol."""
    proxy_image: str
    proxy_config_map: str
    certificate_secret: str
    placement: Placement
    drain_seconds: int
    """A terminating pod takes renders for this long, until every repo-server knows the others."""
    grace_seconds: int

    def spec(self) -> Json:
        """Return the pod's spec."""
        return {
            **self.placement.spec(),
            **pull_secrets.of_pod(self.plugin.settings.image_pull_secrets),
            "enableServiceLinks": False,
            "terminationGracePeriodSeconds": self.grace_seconds,
            "initContainers": [self._copy_cmp_server()],
            "containers": [self._plugin(), self._proxy(), *self.plugin.beside()],
            "volumes": self._volumes(),
        }

    @property
    def _user(self) -> User:
        """Of all containers: the proxy and the plugin meet at the plugin's socket."""
        return self.plugin.settings.user

    def _copy_cmp_server(self) -> Json:
        amounts = {"cpu": "100m", "memory": "64Mi"}
        return {
            "name": "copy-cmp-server",
            "image": self.argocd_image,
            "command": ["/bin/cp", ARGOCD_BINARY, contract.CMP_SERVER],
            "volumeMounts": [{"name": VAR_FILES_VOLUME, "mountPath": contract.CMP_SERVER_DIR}],
            "securityContext": self._user.security_context(),
            "resources": {"requests": amounts, "limits": {"cpu": "1", "memory": "256Mi"}},
        }

    def _plugin(self) -> Json:
        socket = socket_path(self.plugin.plugin_name)
        return self.plugin.container() | {"lifecycle": _before_stop(_end_after_proxy(socket))}

    def _proxy(self) -> Json:
        return _haproxy(
            _PROXY,
            self.proxy_image,
            self._user,
            config_volume=_CONFIG_VOLUME,
            certificates={_TLS_VOLUME: haproxy.TLS_DIR},
            plugins_volume=PLUGINS_VOLUME,
        ) | {
            "command": [*_RUN, contract.PLUGIN_SOCKET_DIR],
            "lifecycle": _before_stop(f"touch {_DRAINING} && sleep {self.drain_seconds}"),
            "ports": [
                _port("renders", haproxy.PORT),
                _port("metrics", haproxy.METRICS_PORT),
            ],
            "readinessProbe": _probe(haproxy.HEALTH_PATH, period=2, failures=2),
        }

    def _volumes(self) -> list[Json]:
        # Readable by the group of the volumes where it is known, and not by everybody.
        key_mode = _EVERYBODY if self.placement.fs_group is None else _OWNER_AND_GROUP
        return [
            *self.plugin.volumes(),
            {"name": VAR_FILES_VOLUME, "emptyDir": {}},
            {"name": PLUGINS_VOLUME, "emptyDir": {}},
            _config_volume(_CONFIG_VOLUME, self.proxy_config_map),
            _certificate_volume(_TLS_VOLUME, self.certificate_secret, key_mode),
        ]


@dataclass(frozen=True, kw_only=True)
class RepoServerProxy:
    """HAProxy in the repo-server's pod, with one socket for each plugin in service mode."""

    name: str
    """The container's name, which also begins the names of its volumes."""
    image: str
    config_map_name: str
    client_secrets: Mapping[str, str]
    """The Secret with the certificate to show, by the plugin's name."""
    plugins_volume: str
    metrics_port: int = haproxy.METRICS_PORT
    user: User = ARGO_CD
    image_pull_secrets: Sequence[str] = ()

    port_argument: ClassVar[str] = "proxy_metrics_port"
    """The argument that decides which port it listens on."""

    def pod_spec(self) -> Json:
        """Return the part of the pod's spec that belongs to this proxy, and to no other."""
        folders = {
            f"{self.name}-tls{number}": (haproxy.tls_folder(plugin), secret)
            for number, (plugin, secret) in enumerate(sorted(self.client_secrets.items()))
        }
        config_volume = f"{self.name}-conf"
        container = _haproxy(
            self.name,
            self.image,
            self.user,
            config_volume=config_volume,
            certificates={volume: folder for volume, (folder, _) in folders.items()},
            plugins_volume=self.plugins_volume,
            metrics_port=self.metrics_port,
        )
        return {
            "containers": [
                # No readiness probe, as for a sidecar: the other plugins go on without it.
                container | {"command": _RUN, "ports": [_port("cmp-metrics", self.metrics_port)]}
            ],
            "volumes": [
                _config_volume(config_volume, self.config_map_name),
                *(
                    # Not 0440: the pod of Argo CD sets no fsGroup. No other container mounts it.
                    _certificate_volume(volume, secret, _EVERYBODY)
                    for volume, (_, secret) in folders.items()
                ),
            ],
            **pull_secrets.of_pod(self.image_pull_secrets),
        }


_RUN: Final = ["/bin/sh", f"{haproxy.CONFIG_DIR}/{haproxy.RUN_SCRIPT}"]
_DRAINING: Final = f"{contract.PLUGIN_SOCKET_DIR}/{haproxy.DRAINING}"
_DRAINED: Final = f"{contract.PLUGIN_SOCKET_DIR}/{haproxy.DRAINED}"


def _haproxy(
    name: str,
    image: str,
    user: User,
    *,
    config_volume: str,
    certificates: Mapping[str, str],
    plugins_volume: str,
    metrics_port: int = haproxy.METRICS_PORT,
) -> Json:
    return {
        "name": name,
        "image": image,
        "env": [
            {
                "name": "POD_IP",
                "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "status.podIP"}},
            }
        ],
        "volumeMounts": [
            {"name": plugins_volume, "mountPath": contract.PLUGIN_SOCKET_DIR},
            {"name": config_volume, "mountPath": haproxy.CONFIG_DIR, "readOnly": True},
            *(
                {"name": volume, "mountPath": folder, "readOnly": True}
                for volume, folder in certificates.items()
            ),
        ],
        "securityContext": user.security_context(),
        "resources": {
            "requests": {"cpu": "50m", "memory": "64Mi"},
            "limits": {"cpu": "1", "memory": "256Mi"},
        },
        "startupProbe": _probe(haproxy.ALIVE_PATH, port=metrics_port, period=1, failures=60),
        "livenessProbe": _probe(haproxy.ALIVE_PATH, port=metrics_port, period=20, failures=3),
        "terminationMessagePolicy": "FallbackToLogsOnError",
    }


def _probe(path: str, *, period: int, failures: int, port: int = haproxy.METRICS_PORT) -> Json:
    return {
        "httpGet": {"path": path, "port": port, "scheme": "HTTP"},
        "periodSeconds": period,
        "timeoutSeconds": 5,
        "failureThreshold": failures,
    }


def _end_after_proxy(socket: str) -> str:
    """Return the script that lets HAProxy finish, then makes cmp-server end at the next SIGTERM.

    The first SIGTERM makes cmp-server delete its socket and live on, the second ends it. That
    of the kubelet is the second, and must not come before the first was taken: the two would
    be one to the kernel, and the pod would wait out its whole grace period.
    """
    return (
        # Not where the container alone is restarted.
        f"sleep 1; if [ -e {_DRAINING} ]; then until [ -e {_DRAINED} ]; do sleep 1; done; fi; "
        f"kill -TERM 1; while [ -e {socket} ]; do sleep 1; done; sleep 1"
    )


def _before_stop(script: str) -> Json:
    return {"preStop": {"exec": {"command": ["/bin/sh", "-c", script]}}}


def _port(name: str, number: int) -> Json:
    return {"name": name, "containerPort": number, "protocol": "TCP"}


def _config_volume(name: str, config_map: str) -> Json:
    return {"name": name, "configMap": {"name": config_map, "defaultMode": _EVERYBODY}}


def _certificate_volume(name: str, secret: str, mode: int) -> Json:
    keys = (haproxy.CERTIFICATE, haproxy.PRIVATE_KEY, haproxy.AUTHORITY)
    items = [{"key": key, "path": key} for key in keys]
    return {"name": name, "secret": {"secretName": secret, "items": items, "defaultMode": mode}}
