"""What the live Deployment of the repo-server says about sidecars."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from components.container.container import check_volumes
from components.shared import inputs
from components.shared.target import Target


@dataclass(frozen=True)
class Live:
    """What the live Deployment says about sidecars."""

    target: Target
    annotations: Mapping[str, str]
    containers: Sequence[str]
    rolled_out: bool


def look_up(
    name: str,
    where: str,
    destination: pulumi.Output[Target],
    shared_volumes: pulumi.Output[dict[str, str]],
    parent: pulumi.Resource,
) -> pulumi.Output[Live]:
    """Return the live Deployment, once it was found fit for a sidecar.

    The provider does not preview patches, so this read is what fails a preview when the
    namespace or the Deployment does not exist or may not be read.
    """
    deployment = k8s.apps.v1.Deployment.get(
        f"{name}-deployment",
        destination.apply(lambda t: f"{t.namespace}/{t.deployment}"),
        opts=pulumi.ResourceOptions(parent=parent),
    )

    def check(known: Sequence[Any]) -> Live:
        found, expected, annotations, (containers, volumes), rolled_out = known
        where_to = f"{found.namespace}/{found.deployment}"
        inputs.located(where, lambda: check_volumes(where_to, volumes, expected))
        return Live(found, annotations, containers, rolled_out)

    annotations = deployment.metadata.apply(lambda m: dict(m.annotations or {}))
    names = deployment.spec.apply(_names)
    rolled_out = pulumi.Output.all(
        deployment.metadata.apply(lambda m: m.generation),
        deployment.spec.apply(lambda s: s.replicas),
        deployment.status.apply(_progress),
    ).apply(lambda known: _rolled_out(*known))
    return pulumi.Output.all(destination, shared_volumes, annotations, names, rolled_out).apply(
        check
    )


def _names(spec: k8s.apps.v1.outputs.DeploymentSpec) -> tuple[list[str], list[str]]:
    """Return the names of the pod's containers, and of its volumes."""
    pod = spec.template.spec
    containers = (pod.containers if pod else None) or []
    volumes = (pod.volumes if pod else None) or []
    return [container.name for container in containers], [volume.name for volume in volumes]


def _progress(status: k8s.apps.v1.outputs.DeploymentStatus | None) -> tuple[int, int, int]:
    """Return the generation that was acted on, and the updated and the available replicas."""
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
