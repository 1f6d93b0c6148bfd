"""How the kubelet finds out whether a plugin works."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NotRequired, TypedDict

import pulumi

from ..shared import validation

Json = dict[str, Any]

_START: Final = {"periodSeconds": 2, "timeoutSeconds": 10, "failureThreshold": 30}
_KILL_SECONDS: Final = 5


class ProbeArgs(TypedDict):
    """How the kubelet finds out whether a plugin works."""

    probe_command: NotRequired[pulumi.Input[Sequence[pulumi.Input[str]]]]
    """Command that exits with 0 while the plugin works (default: `/bin/sh` tests its socket)."""
    liveness_period_seconds: NotRequired[pulumi.Input[int]]
    """Seconds from one run of it to the next, once the plugin has started (default 20)."""
    liveness_timeout_seconds: NotRequired[pulumi.Input[int]]
    """Seconds that a run may take (default 10); raise it where nodes are overloaded."""
    liveness_failure_threshold: NotRequired[pulumi.Input[int]]
    """Failures in a row after which the container is restarted (default 3)."""


@dataclass(frozen=True, kw_only=True)
class Probes:
    """Checked settings. Without a command, the probes test that the plugin's socket exists."""

    command: Sequence[str] | None = None
    period: int = 20
    timeout: int = 10
    failures: int = 3

    def of_container(self, socket: str) -> Json:
        """Return the container's probes.

        No readiness probe: one plugin that is busy must not take the repo-server, which serves
        all other Applications, out of its Service.
        """
        command = self.command or ["/bin/sh", "-c", f"test -S {socket}"]
        run = {"exec": {"command": list(command)}}
        return {
            "startupProbe": {**run, **_START},
            "livenessProbe": {
                **run,
                "periodSeconds": self.period,
                "timeoutSeconds": self.timeout,
                "failureThreshold": self.failures,
                # What hangs does not exit cleanly, and cmp-server does not exit on a SIGTERM.
                "terminationGracePeriodSeconds": _KILL_SECONDS,
            },
        }


DEFAULT_PROBES: Final = Probes()


def of(values: Mapping[str, Any]) -> Probes:
    """Check ProbeArgs."""
    command = values.get("probe_command")

    def number(field: str, default: int, unit: str) -> int:
        return validation.whole_number(field, values.get(field, default), unit=unit)

    return Probes(
        command=None if command is None else validation.command("probe_command", command),
        period=number("liveness_period_seconds", Probes.period, "seconds"),
        timeout=number("liveness_timeout_seconds", Probes.timeout, "seconds"),
        failures=number("liveness_failure_threshold", Probes.failures, "failures"),
    )
