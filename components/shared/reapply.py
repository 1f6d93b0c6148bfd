"""Lets a patch that is already applied count as unchanged.

The Kubernetes provider compares the lists of a patch with those of the live object by
position. A container that server-side apply put behind the repo-server's own therefore
differs from itself, and every `pulumi up` would update the patch and wait for a roll-out
that never comes (https://github.com/pulumi/pulumi-kubernetes/issues/2682). So the patch leaves a
fingerprint of what it applied as an annotation, and where the live object carries it, the
two lists are not compared.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

import pulumi
from pulumi.runtime.mocks import MockMonitor
from pulumi.runtime.settings import get_monitor

from .errors import InstallerError

# By element, not the lists as such: when it updates nevertheless (the last roll-out failed), the
# provider replaces an ignored field by the live one, and would thus take over every container.
_LISTS: Final = [
    f"spec.template.spec.{name}[*]" for name in ("containers", "volumes", "imagePullSecrets")
]


def fingerprint(content: Mapping[str, Any]) -> str:
    """Return the same short string for the same JSON content."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


def options(applied: pulumi.Output[bool], container_prefix: str) -> pulumi.ResourceOptions:
    """Return options for a patch that is to be left alone where `applied` is true.

    Only a transform lets an option depend on an Output. While `applied` is unknown, during
    some previews, the change is shown. The SDK's mocks, with which programs are unit-tested,
    run neither transforms nor hooks.
    """
    if isinstance(get_monitor(), MockMonitor):
        return pulumi.ResourceOptions()

    async def leave_alone(
        args: pulumi.ResourceTransformArgs,
    ) -> pulumi.ResourceTransformResult | None:
        if not await applied.future():
            return None
        ignore = pulumi.ResourceOptions(ignore_changes=_LISTS)
        return pulumi.ResourceTransformResult(
            args.props, pulumi.ResourceOptions.merge(args.opts, ignore)
        )

    def only_own_containers(args: pulumi.ResourceHookArgs) -> None:
        refuse_containers_of_others(args.new_inputs or {}, container_prefix)

    return pulumi.ResourceOptions(
        transforms=[leave_alone],
        hooks=pulumi.ResourceHookBinding(before_update=[only_own_containers]),
    )


def refuse_containers_of_others(patch: Mapping[str, Any], container_prefix: str) -> None:
    """Stop an update that would take over a container which is not a plugin's.

    `pulumi refresh` fills the patch's inputs in the state by position too, with parts of the
    repo-server's container. Ignored changes come from the state, so an update that the engine
    wants although nothing changed (the refresh found the Deployment unhealthy) would apply them.
    """
    containers = patch["spec"]["template"]["spec"]["containers"]
    others = [c["name"] for c in containers if not c["name"].startswith(container_prefix)]
    if others:
        raise InstallerError(
            f"the state holds container {others[0]} of the live Deployment as if it were ours, "
            "since a refresh while it was not ready. Fix: run `pulumi up --refresh`"
        )
