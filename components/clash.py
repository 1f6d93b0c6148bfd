"""Refuses a plugin whose name and version another stack, or another component, has installed.

Server-side apply would refuse it, too, but not in a preview, and in words about fields.
"""

from collections.abc import Sequence

import pulumi
from pulumi.runtime.mocks import MockMonitor
from pulumi.runtime.settings import get_monitor

from components.errors import InvalidInputError


def options(
    name: str, where: str, containers: pulumi.Output[Sequence[str]], own: pulumi.Output[str]
) -> pulumi.ResourceOptions:
    """Return options for a patch that adds the container `own` beside the live `containers`.

    Only where the patch is created is a container of that name somebody else's. The SDK's
    mocks, with which programs are unit-tested, run no hooks.
    """
    if isinstance(get_monitor(), MockMonitor):
        return pulumi.ResourceOptions()

    async def refuse(_args: pulumi.ResourceHookArgs) -> None:
        live, added = await pulumi.Output.all(containers, own).future() or ([], "")
        refuse_clash(where, live, added)

    hook = pulumi.ResourceHook(f"{name}-clash", refuse, pulumi.ResourceHookOptions(on_dry_run=True))
    return pulumi.ResourceOptions(hooks=pulumi.ResourceHookBinding(before_create=[hook]))


def refuse_clash(where: str, live: Sequence[str], added: str) -> None:
    """Raise InvalidInputError when the container that is added is there already."""
    if added in live:
        raise InvalidInputError(
            "plugin_name",
            f"and version make the container {added}, which the repo-server has already: "
            "another stack installed that plugin, or this one lost track of it",
            "set another version, or change it by the stack that installed it "
            '(docs/installer.md, "When something is in the way")',
            where,
        )
