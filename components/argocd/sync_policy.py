"""What Argo CD does by itself with what a plugin has rendered."""

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict

import pulumi

from ..shared import validation
from ..shared.errors import InvalidInputError
from . import fields, ignore_differences


class SyncPolicyArgs(TypedDict):
    """What is synced, pruned and left alone. By default, nothing happens until somebody syncs."""

    automated: NotRequired[pulumi.Input[bool]]
    """Sync automatically (default false: the first sync is somebody's decision)."""
    prune: NotRequired[pulumi.Input[bool]]
    """Delete what a render no longer contains, in automated syncs (default false)."""
    self_heal: NotRequired[pulumi.Input[bool]]
    """Undo changes made in the cluster, in automated syncs (default false)."""
    retry: NotRequired[pulumi.Input[Mapping[str, Any]]]
    """Try a sync that failed again, as Argo CD's `retry`: `limit`, `backoff`, `refresh`."""
    sync_options: NotRequired[pulumi.Input[Sequence[pulumi.Input[str]]]]
    """Sync options, for example `CreateNamespace=true`."""
    ignore_differences: NotRequired[pulumi.Input[Sequence[pulumi.Input[Mapping[str, Any]]]]]
    """Fields to leave to the cluster, as `renderer pulumi ignore-differences` prints them.

    Syncs leave them alone, too, unless `sync_options` has `RespectIgnoreDifferences=false`.
    """


def sync_policy(values: Mapping[str, Any]) -> dict[str, Any]:
    """Check the arguments and return `syncPolicy` of the Application's spec, where it has one."""
    policy = _automated(values)
    if "retry" in values:
        policy["retry"] = _retry(values["retry"])
    options = validation.strings("sync_options", values.get("sync_options", []))
    for option in options:
        if "=" not in option:
            problem = f"holds {option!r}, which Argo CD would ignore"
            raise InvalidInputError("sync_options", problem, "write Name=value")
    options = ignore_differences.sync_options(values, options)
    if options:
        policy["syncOptions"] = options
    return policy


def _automated(values: Mapping[str, Any]) -> dict[str, Any]:
    def chosen(field: str) -> bool:
        return validation.flag(field, values.get(field, False))

    if chosen("automated"):
        return {"automated": {"prune": chosen("prune"), "selfHeal": chosen("self_heal")}}
    for field in ("prune", "self_heal"):
        if chosen(field):
            problem = "is set without automated; Argo CD reads it for automated syncs only"
            raise InvalidInputError(field, problem, "set automated too, or leave it out")
    return {}


def _retry(given: object) -> dict[str, Any]:
    retry: dict[str, Any] = fields.check("retry", given, "Application.spec.syncPolicy.retry")
    for field in ("duration", "maxDuration"):
        value = retry.get("backoff", {}).get(field)
        # A number alone is one of seconds.
        if value is not None and not value.isdigit():
            fields.duration(f"retry.backoff.{field}", value)
    return retry
