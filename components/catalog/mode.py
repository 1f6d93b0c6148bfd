"""Where a plugin runs: as a sidecar of the repo-server, or in pods of its own."""

from collections.abc import Collection, Mapping
from typing import Any, Final, NotRequired

from ..repo_server.patch import PatchArgs
from ..service.certificates import CertificateArgs
from ..service.proxy import LookupArgs
from ..service.service import ServiceArgs
from ..shared.errors import InvalidInputError

SIDECAR: Final = "sidecar"
SERVICE: Final = "service"
MODES: Final = (SIDECAR, SERVICE)

_OF_PROXY: Final = (
    *LookupArgs.__annotations__,
    *PatchArgs.__annotations__,
    "plugins_volume",
)
_OF_POD_MONITOR: Final = "repo_server_labels"
"""What a PodMonitor selects by in sidecar mode; else it is for service mode, as its fellows."""


class ModeArgs(ServiceArgs, CertificateArgs, LookupArgs):
    """Where a plugin runs. All but `mode` are for service mode only."""

    mode: NotRequired[str]
    """`sidecar` of the repo-server (default), or `service`: its own pods, and a proxy to them."""
    own_proxy: NotRequired[bool]
    """Make the proxy as well (default true). Set false where one `PluginProxy` serves several."""


def of(given: Mapping[str, Any]) -> str:
    """Check the mode. Raises InvalidInputError."""
    mode = given.get("mode", SIDECAR)
    if mode not in MODES:
        problem = f"is {mode!r}, not a way to run a plugin"
        raise InvalidInputError("mode", problem, f"use one of {', '.join(MODES)}")
    return str(mode)


def refuse_unread(
    given: Mapping[str, Any], mode: str, read_by_sidecars: Collection[str], *, own_proxy: bool
) -> None:
    """Refuse arguments that nothing reads: somebody who sets one expects it to count."""
    for field in given:
        if field == _OF_POD_MONITOR and given.get("pod_monitor"):
            continue
        if mode == SIDECAR and field not in read_by_sidecars:
            problem = "is for mode service, and the mode is sidecar, in a pod that is Argo CD's own"
            raise InvalidInputError(field, problem, "set mode to service, or leave it out")
        if mode == SERVICE and field in _OF_PROXY and not own_proxy:
            problem = "is for the proxy of the repo-server, and own_proxy is false"
            raise InvalidInputError(field, problem, "give it to the PluginProxy")
