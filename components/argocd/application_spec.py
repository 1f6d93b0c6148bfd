"""The spec of an Application: one that a component registers, or those of a set."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NotRequired

import pulumi

from ..shared import validation
from . import fields, ignore_differences
from .destination import DestinationArgs, destination
from .source import PluginSourceArgs, sources
from .sync_policy import SyncPolicyArgs, sync_policy
from .templates import Check, unless_template


class ApplicationSpecArgs(PluginSourceArgs, DestinationArgs, SyncPolicyArgs):
    """What a plugin renders, where it goes, and what Argo CD does by itself."""

    project: NotRequired[pulumi.Input[str]]
    """Argo CD project (default `default`)."""
    info: NotRequired[pulumi.Input[Sequence[pulumi.Input[Mapping[str, Any]]]]]
    """Links and notes that Argo CD's UI shows, each with its `name` and its `value`."""
    revision_history_limit: NotRequired[pulumi.Input[int]]
    """Syncs to remember, for a rollback (Argo CD's default is 10)."""


ARGUMENTS: Final = tuple(ApplicationSpecArgs.__annotations__)


def application_spec(values: Mapping[str, Any], *, templates: bool = False) -> dict[str, Any]:
    """Check the arguments and return the spec. In a set's, any string may be a template."""

    def named(check: Check) -> Check:
        return unless_template(check) if templates else check

    project = values.get("project", "default")
    spec = {
        "project": named(validation.object_name)("project", project),
        **sources(values),
        "destination": destination(values, namespace=named(validation.dns_label)),
        "syncPolicy": sync_policy(values),
        "ignoreDifferences": ignore_differences.entries(values),
        "info": fields.check("info", values.get("info", []), "Application.spec.info"),
    }
    said = {field: value for field, value in spec.items() if value}
    return {**said, **_history(values)}


def _history(values: Mapping[str, Any]) -> dict[str, int]:
    field = "revision_history_limit"
    if field not in values:
        return {}
    limit = values[field]
    if limit == 0 and not isinstance(limit, bool):
        return {"revisionHistoryLimit": 0}
    return {"revisionHistoryLimit": validation.whole_number(field, limit, unit="syncs")}
