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
from ..shared import inputs
from ..shared.errors import InvalidInputError
from ..shared.target import Target

_PORT: Final = "argocd-cmp/port-"
_made: WeakKeyDictionary[object, dict[tuple[str, str, str], str]] = WeakKeyDictionary()
"""By a program's run, which its monitor stands for: the containers, each with who makes it."""


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
    name: str, where: str, taken: pulumi.Output[Taken], added: pulumi.Output[Taken]
) -> pulumi.ResourceOptions:
    """Return options for a patch that adds something to what is there.

    Only when the patch is created does what is already there belong to somebody else. The
    SDK's mocks, with which programs are unit-tested, run no hooks.
    """
    if isinstance(get_monitor(), MockMonitor):
        return pulumi.ResourceOptions()

    async def refuse(_args: pulumi.ResourceHookArgs) -> None:
        known = await pulumi.Output.all(taken, added).future()
        if known:
            refuse_clash(where, *known)

    hook = pulumi.ResourceHook(f"{name}-clash", refuse, pulumi.ResourceHookOptions(on_dry_run=True))
    return pulumi.ResourceOptions(hooks=pulumi.ResourceHookBinding(before_create=[hook]))


def alone_in(destination: Target, where: str, container: str) -> Target:
    """Return the Deployment, unless another component of this program makes the same container.

    A new one is not in the cluster yet, so a preview would pass. Raises InvalidInputError.
    """
    made = _made.setdefault(get_monitor(), {})
    first = made.setdefault((destination.namespace, destination.deployment, container), where)
    if first != where:
        raise InvalidInputError(
            "plugin_name",
            f"and version make the container {container}, as those of {first} do",
            "set another name or version; in a container's name a dot counts as a dash",
            where,
        )
    return destination


def refuse_clash(where: str, taken: Taken, added: Taken) -> None:
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
    inputs.located(
        where, lambda: refuse_port("proxy_metrics_port", taken.annotations, added.annotations)
    )


def refuse_port(field: str, taken: Mapping[str, str], added: Mapping[str, str]) -> None:
    """Raise InvalidInputError when a port is added that is already claimed."""
    for claim in added.keys() & taken.keys():
        raise InvalidInputError(
            field,
            f"is {claim.removeprefix(_PORT)}, on which container {taken[claim]} of the "
            "repo-server's pods listens already",
            "set another one, or let one PluginProxy serve the plugins of both",
        )
