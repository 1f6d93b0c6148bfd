"""Lets a patch that is already applied count as unchanged.

The Kubernetes provider compares the lists of a patch with those of the live object by
position. A container that server-side apply put behind the repo-server's own therefore
differs from itself, and every `pulumi up` would update the patch and wait for a roll-out
that is none (https://github.com/pulumi/pulumi-kubernetes/issues/2682). So the patch leaves a
fingerprint of what it applied as an annotation, and where the live object carries it, the
engine is told not to compare.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import pulumi
from pulumi.runtime.mocks import MockMonitor
from pulumi.runtime.settings import get_monitor


def fingerprint(content: Mapping[str, Any]) -> str:
    """Return the same short string for the same JSON content."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


def unless(applied: pulumi.Output[bool]) -> list[pulumi.ResourceTransform]:
    """Return what leaves a resource as it is in the state where `applied` is true.

    A transform, because only there may an option of a resource depend on an Output. While
    `applied` is unknown, during some previews, the change is shown. The SDK's mocks, with
    which programs are unit-tested, cannot run transforms.
    """
    if isinstance(get_monitor(), MockMonitor):
        return []

    async def transform(
        args: pulumi.ResourceTransformArgs,
    ) -> pulumi.ResourceTransformResult | None:
        if not await applied.future():
            return None
        ignore = pulumi.ResourceOptions(ignore_changes=["metadata", "spec"])
        return pulumi.ResourceTransformResult(
            args.props, pulumi.ResourceOptions.merge(args.opts, ignore)
        )

    return [transform]
