"""The container beside a plugin's that serves its metrics: the same image, and another command.

Pure: takes checked values. It has the plugin's cache, through which renders reach it, not its
socket, and of its credentials only those that sending traces takes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from ..shared import contract
from .user import User

Json = dict[str, Any]

PATH: Final = "/metrics"
PORT: Final = "$(METRICS_PORT)"
ADDRESS: Final = "$(POD_IP)"
"""What Kubernetes puts in their place in a command: where to listen."""
_SERVICE: Final = "OTEL_SERVICE_NAME"
_POD_IP: Final = {"fieldRef": {"apiVersion": "v1", "fieldPath": "status.podIP"}}


@dataclass(frozen=True, kw_only=True)
class Metrics:
    """Where metrics are served, and by which command of the plugin's image."""

    port: int
    command: Sequence[str]

    @property
    def port_name(self) -> str:
        """The port's name: one of its own, for a pod may have several plugins."""
        return f"metrics-{self.port}"

    def container(
        self,
        plugin: str,
        image: str,
        user: User,
        cache_volume: str,
        tracing: Sequence[Json],
        *,
        service: str,
    ) -> Json:
        """Return the container, with nothing in it that Kubernetes would add by itself.

        The variables `tracing` say where OpenTelemetry sends traces; those of the plugin are of
        `service`, unless they say otherwise.
        """
        own: list[Json] = [
            {"name": "POD_IP", "valueFrom": _POD_IP},
            {"name": "METRICS_PORT", "value": str(self.port)},
        ]
        names = {variable["name"] for variable in own}
        others = [variable for variable in tracing if variable["name"] not in names]
        is_named = any(variable["name"] == _SERVICE for variable in others)
        return {
            "name": container_name(plugin),
            "image": image,
            "command": [*self.command],
            "env": [
                *own,
                *([] if is_named else [{"name": _SERVICE, "value": service}]),
                *others,
            ],
            "ports": [{"name": self.port_name, "containerPort": self.port, "protocol": "TCP"}],
            "volumeMounts": [{"name": cache_volume, "mountPath": contract.CACHE_DIR}],
            "securityContext": user.security_context(),
            "resources": {
                "requests": {"cpu": "10m", "memory": "48Mi"},
                "limits": {"cpu": "200m", "memory": "128Mi"},
            },
            "startupProbe": self._probe(period=2, failures=60),
            # No readiness probe, as for the plugin: no metrics are no reason to stop renders.
            "livenessProbe": self._probe(period=30, failures=3),
            "terminationMessagePolicy": "FallbackToLogsOnError",
        }

    def _probe(self, *, period: int, failures: int) -> Json:
        return {
            "httpGet": {"path": PATH, "port": self.port, "scheme": "HTTP"},
            "periodSeconds": period,
            "timeoutSeconds": 5,
            "failureThreshold": failures,
        }


def container_name(plugin: str) -> str:
    """Return the name of the container that serves the metrics of a plugin's container."""
    return f"{plugin}-metrics"
