"""Refuses a plugin's name, or a port, that another stack or component has already taken.

Server-side apply would refuse it, too, but not in a preview, and in terms of fields.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final
from weakref import WeakKeyDictionary

import pulumi
from pulumi.runtime.mocks import MockMonitor
from pulumi.runtime.settings import get_monitor

from ..container.container import Json
from ..shared import argocd_names, inputs
from ..shared.errors import InvalidInputError
from ..shared.target import Target

_PORT: Final = "argocd-cmp/port-"
OF_ARGO_CD: Final = {
    f"{_PORT}{port}": argocd_names.REPO_SERVER for port in argocd_names.REPO_SERVER_PORTS
}
"""Claims on the ports of the repo-server's own container, which has no such annotations."""
_made: WeakKeyDictionary[object, dict[tuple[object, ...], str]] = WeakKeyDictionary()
"""By a program's run, which its monitor stands for: the containers, each with who makes it."""
_made_ports: WeakKeyDictionary[object, dict[tuple[object, ...], tuple[str, str]]]
_made_ports = WeakKeyDictionary()
"""The same for ports: who makes a container that listens there, and the container."""
_FIXES: Final = {"proxy_metrics_port": ", or let one PluginProxy serve the plugins of both"}
"""What to do about a port besides, by the argument that decides it."""


@dataclass(frozen=True)
class Taken:
    """What a pod can have only once."""

    containers: Collection[str]
    annotations: Mapping[str, str]
    """Of the Deployment; some of them claim a port."""


def claims(containers: Collection[Json]) -> dict[str, str]:
    """Return annotations by which containers claim their ports, each with who claims it.

    All containers of a pod have one address. Of two patches that claim the same port, the
    API server refuses the second, before any pod is rolled.
    """
    return {
        f"{_PORT}{port['containerPort']}": container["name"]
        for container in containers
        for port in container.get("ports", [])
    }


def options(
    name: str,
    where: str,
    taken: pulumi.Output[Taken],
    added: pulumi.Output[Taken],
    field: pulumi.Output[str],
) -> pulumi.ResourceOptions:
    """Return options for a patch that adds something to what is there.

    `field` is the argument that decides about a port of it.

    Only when the patch is created does what is already there belong to somebody else. The
    SDK's mocks, with which programs are unit-tested, run no hooks.
    """
    if isinstance(get_monitor(), MockMonitor):
        return pulumi.ResourceOptions()

    async def refuse(_args: pulumi.ResourceHookArgs) -> None:
        known = await pulumi.Output.all(taken, added, field).future()
        if known:
            refuse_clash(where, *known)

    hook = pulumi.ResourceHook(f"{name}-clash", refuse, pulumi.ResourceHookOptions(on_dry_run=True))
    return pulumi.ResourceOptions(hooks=pulumi.ResourceHookBinding(before_create=[hook]))


def alone_in(cluster: object, destination: Target, where: str, container: str) -> Target:
    """Return the Deployment, unless another component of this program makes the same container.

    A new one is not in the cluster yet, so a preview would pass. `cluster` is its provider, None
    the default one. Raises InvalidInputError.
    """
    made = _made.setdefault(get_monitor(), {})
    place = (cluster, destination.namespace, destination.deployment)
    first = made.setdefault((*place, container), where)
    if first != where:
        raise InvalidInputError(
            "plugin_name",
            f"and version make the container {container}, as those of {first} do",
            "set another name or version; in a container's name a dot counts as a dash",
            where,
        )
    return destination


def ports_alone_in(
    cluster: object, destination: Target, where: str, field: str, containers: Collection[Json]
) -> None:
    """Refuse ports that Argo CD has, or that another component of this program has in this pod.

    The Deployment that is in the cluster may not show them yet. Raises InvalidInputError.
    """
    made = _made_ports.setdefault(get_monitor(), {})
    added = claims(containers)
    place = (cluster, destination.namespace, destination.deployment)
    first = {claim: made.setdefault((*place, claim), (where, who)) for claim, who in added.items()}
    others = {claim: who for claim, (maker, who) in first.items() if maker != where}
    inputs.located(where, lambda: refuse_port(field, others | OF_ARGO_CD, added))


def refuse_clash(where: str, taken: Taken, added: Taken, field: str) -> None:
    """Raise InvalidInputError when what is added already exists."""
    for container in {*added.containers} & {*taken.containers}:
        raise InvalidInputError(
            "plugin_name",
            f"and version make the container {container}, which the repo-server already has: "
            "this component had another name or parent, another stack has installed that plugin, "
            "or an interrupted `pulumi up` has",
            "give a renamed component an alias of its former name; else set another version, or "
            "destroy the other stack's first "
            '(docs/installer.md, "When something is in the way")',
            where,
        )
    inputs.located(where, lambda: refuse_port(field, taken.annotations, added.annotations))


def refuse_port(field: str, taken: Mapping[str, str], added: Mapping[str, str]) -> None:
    """Raise InvalidInputError when a port is added that is already claimed."""
    for claim in added.keys() & taken.keys():
        raise InvalidInputError(
            field,
            f"is {claim.removeprefix(_PORT)}, on which container {taken[claim]} of the "
            "repo-server's pods listens already",
            f"set another one{_FIXES.get(field.rpartition('.')[2], '')}",
        )
