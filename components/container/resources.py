"""How much a plugin's container may use."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NotRequired, TypedDict

import pulumi

from ..shared import validation
from .user import NONE

Json = dict[str, Any]


class ResourceArgs(TypedDict):
    """How much a plugin's container may use, in Kubernetes' quantities."""

    cpu_request: NotRequired[pulumi.Input[str]]
    """CPU reserved for the container (default `100m`)."""
    memory_request: NotRequired[pulumi.Input[str]]
    """Memory reserved for the container (default `256Mi`)."""
    ephemeral_storage_request: NotRequired[pulumi.Input[str]]
    """Disk of the node reserved for the container and its empty folders (default: none)."""
    cpu_limit: NotRequired[pulumi.Input[str]]
    """Most CPU the container may use (default `2`); `none`: all that the node has to spare."""
    memory_limit: NotRequired[pulumi.Input[str]]
    """Most memory the container may use (default `2Gi`). Renders stop before they reach it."""
    ephemeral_storage_limit: NotRequired[pulumi.Input[str]]
    """Most disk of the node (default: none). The kubelet holds the whole pod's use against it."""
    tmp_size: NotRequired[pulumi.Input[str]]
    """Size of `/tmp`, into which every render copies its repository (default `2Gi`)."""
    work_size: NotRequired[pulumi.Input[str]]
    """Size of the writable home, and of the cache (default `2Gi` each)."""


@dataclass(frozen=True, kw_only=True)
class Resources:
    """Checked quantities; None is no request, or no limit."""

    cpu_request: str = "100m"
    memory_request: str = "256Mi"
    ephemeral_storage_request: str | None = None
    cpu_limit: str | None = "2"
    memory_limit: str = "2Gi"
    ephemeral_storage_limit: str | None = None
    tmp_size: str = "2Gi"
    work_size: str = "2Gi"

    def requirements(self) -> Json:
        """Return the container's `resources`."""
        return {
            "requests": _known(
                self.cpu_request, self.memory_request, self.ephemeral_storage_request
            ),
            "limits": _known(self.cpu_limit, self.memory_limit, self.ephemeral_storage_limit),
        }


DEFAULT_RESOURCES: Final = Resources()


def of(values: Mapping[str, Any]) -> Resources:
    """Check ResourceArgs: each is a quantity, and no request is above its limit."""

    def size(field: str, default: str) -> str:
        return validation.size(field, values.get(field, default))

    def storage(field: str) -> str | None:
        return validation.size(field, values[field]) if field in values else None

    cpu_limit = values.get("cpu_limit", Resources.cpu_limit)
    resources = Resources(
        cpu_request=validation.cpu("cpu_request", values.get("cpu_request", Resources.cpu_request)),
        memory_request=size("memory_request", Resources.memory_request),
        ephemeral_storage_request=storage("ephemeral_storage_request"),
        cpu_limit=None if cpu_limit == NONE else validation.cpu("cpu_limit", cpu_limit),
        memory_limit=size("memory_limit", Resources.memory_limit),
        ephemeral_storage_limit=storage("ephemeral_storage_limit"),
        tmp_size=size("tmp_size", Resources.tmp_size),
        work_size=size("work_size", Resources.work_size),
    )
    for what in ("cpu", "memory", "ephemeral_storage"):
        request, limit = (getattr(resources, f"{what}_{kind}") for kind in ("request", "limit"))
        if request is not None and limit is not None:
            validation.at_most(f"{what}_request", request, f"{what}_limit", limit)
    return resources


def _known(cpu: str | None, memory: str, storage: str | None) -> Json:
    amounts = {"cpu": cpu, "memory": memory, "ephemeral-storage": storage}
    return {name: amount for name, amount in amounts.items() if amount is not None}
