"""What the live Deployment of the repo-server says about sidecars."""

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from ..container.container import Json, check_volumes
from ..shared import inputs
from ..shared.target import Target
from . import drift


@dataclass(frozen=True)
class Live:
    """What the live Deployment says about sidecars."""

    target: Target
    annotations: Mapping[str, str]
    pod: Json
    """The spec of its pods."""
    managed_fields: Sequence[Json]
    rolled_out: bool

    @property
    def containers(self) -> list[str]:
        """The names of the pods' containers."""
        return _names(self.pod, "containers")

    def annotations_beside(self, annotation: str) -> dict[str, str]:
        """Return the annotations of the patch that has set this one, itself among them.

        Other patches may have set some of them, too, and more.
        """
        beside = {
            field.removeprefix("f:")
            for entry in self._patches_with(annotation)
            for field in _owned(entry, "f:metadata", "f:annotations")
        }
        return {name: value for name, value in self.annotations.items() if name in beside}

    def was_changed_since(self, annotation: str) -> bool:
        """Tell whether somebody has changed the pods after the patch that has set this one."""
        last = max((_time(entry) for entry in self._patches_with(annotation)), default="")
        return any(
            _time(entry) > last
            for entry in self.managed_fields
            if _owned(entry, "f:spec", "f:template")
        )

    def _patches_with(self, annotation: str) -> list[Json]:
        return [
            entry
            for entry in self.managed_fields
            if entry["manager"].startswith(drift.PATCH_MANAGER)
            and f"f:{annotation}" in _owned(entry, "f:metadata", "f:annotations")
        ]


def _owned(entry: Json, *steps: str) -> Json:
    """Return what an entry of managedFields has below a field."""
    owned: Json = entry.get("fieldsV1") or {}
    for step in steps:
        owned = owned.get(step, {})
    return owned


def _time(entry: Json) -> str:
    return str(entry.get("time", ""))


def look_up(
    name: str,
    where: str,
    destination: pulumi.Output[Target],
    shared_volumes: pulumi.Output[dict[str, str]],
    parent: pulumi.Resource,
) -> pulumi.Output[Live]:
    """Return the live Deployment, once it is found fit for a sidecar.

    The provider does not preview patches, so this read is what fails a preview when the
    namespace or the Deployment does not exist or may not be read.
    """
    deployment = k8s.apps.v1.Deployment.get(
        f"{name}-deployment",
        destination.apply(lambda t: f"{t.namespace}/{t.deployment}"),
        opts=pulumi.ResourceOptions(parent=parent),
    )

    def check(known: Sequence[Any]) -> Live:
        found, expected, metadata, pod, rolled_out = known
        where_to = f"{found.namespace}/{found.deployment}"
        volumes = _names(pod, "volumes")
        inputs.located(where, lambda: check_volumes(where_to, volumes, expected))
        managed_fields = metadata.get("managedFields") or []
        return Live(found, metadata.get("annotations") or {}, pod, managed_fields, rolled_out)

    metadata = deployment.metadata.apply(_plain)
    pod = deployment.spec.apply(lambda s: _plain(s.template.spec) or {})
    rolled_out = pulumi.Output.all(
        deployment.metadata.apply(lambda m: m.generation),
        deployment.spec.apply(lambda s: s.replicas),
        deployment.status.apply(_progress),
    ).apply(lambda known: _rolled_out(*known))
    return pulumi.Output.all(destination, shared_volumes, metadata, pod, rolled_out).apply(check)


def _names(pod: Json, part: str) -> list[str]:
    """Return the names of the pod's containers, or volumes."""
    return [named["name"] for named in pod.get(part) or []]


def _plain(output: Any) -> Any:
    """Return an output of the SDK as the JSON that it is made of.

    Source: pulumi/pulumi `sdk/python/lib/pulumi/_types.py` (getter, output_type).
    """
    if isinstance(output, dict):
        names = _names_in_json(type(output))
        # Some types have a property of the name `items`.
        return {names.get(key, key): _plain(part) for key, part in dict.items(output)}
    return [_plain(part) for part in output] if isinstance(output, list) else output


def _progress(status: k8s.apps.v1.outputs.DeploymentStatus | None) -> tuple[int, int, int]:
    """Return the observed generation, and the updated and the available replicas."""
    if status is None:
        return 0, 0, 0
    return (
        status.observed_generation or 0,
        status.updated_replicas or 0,
        status.available_replicas or 0,
    )


def _rolled_out(generation: int | None, replicas: int | None, progress: Sequence[int]) -> bool:
    observed, updated, available = progress
    wanted = 1 if replicas is None else replicas
    return observed >= (generation or 0) and updated >= wanted and available >= wanted


@cache
def _names_in_json(type_: type) -> Mapping[str, str]:
    """Return what the properties of an output type are called in JSON."""
    properties = inspect.getmembers(type_, lambda member: isinstance(member, property))
    return {name: getattr(found.fget, "_pulumi_name", name) for name, found in properties}
