"""Where an Application's objects go."""

import re
from collections.abc import Mapping
from typing import Any, Final, NotRequired, TypedDict

import pulumi

from ..shared import validation
from ..shared.errors import InvalidInputError
from .templates import Check

IN_CLUSTER: Final = "https://kubernetes.default.svc"
_SERVER: Final = re.compile(r"https?://[^\s]+$|\{\{")
"""An address, or a template that an ApplicationSet makes one of."""
FIELDS: Final = ("destination_server", "destination_name")


class DestinationArgs(TypedDict):
    """A cluster, and a namespace of it."""

    destination_server: NotRequired[pulumi.Input[str]]
    """API server to deliver to (default: the cluster that Argo CD runs in)."""
    destination_name: NotRequired[pulumi.Input[str]]
    """The cluster's name in Argo CD, instead of `destination_server`."""
    destination_namespace: NotRequired[pulumi.Input[str]]
    """Namespace for objects that name none."""


def destination(
    values: Mapping[str, Any], *, namespace: Check = validation.dns_label
) -> dict[str, str]:
    """Check the arguments and return `destination` of the Application's spec."""
    server, name = FIELDS
    if server in values and name in values:
        problem = f"cannot be combined with {server}: Argo CD accepts only one of them"
        raise InvalidInputError(name, problem, "keep one")
    found: dict[str, str] = {}
    if name in values:
        found["name"] = validation.line(name, values[name])
    else:
        found["server"] = _server(values.get(server, IN_CLUSTER))
    if "destination_namespace" in values:
        field = "destination_namespace"
        found["namespace"] = namespace(field, values[field])
    return found


def _server(value: object) -> str:
    server = validation.line("destination_server", value)
    if not _SERVER.match(server):
        problem = f"is {server!r}, not an address of an API server, so nothing could be delivered"
        fix = "write https://…, or give the cluster's name as destination_name"
        raise InvalidInputError("destination_server", problem, fix)
    return server
