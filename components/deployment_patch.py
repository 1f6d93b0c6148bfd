"""Adds a container to the repo-server's Deployment by server-side apply, and takes it away again.

The patch owns the container and the volumes it names and nothing else, so several plugins,
from one stack or many, coexist, and deleting it gives the Deployment back as it was. A field
that somebody else owns is never taken over: `up` fails and names the owner.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NotRequired, Protocol, TypedDict

import pulumi
import pulumi_kubernetes as k8s

from components import argocd, clash, inputs, reapply, validation
from components.sidecar import CONTAINER_PREFIX, Json, check_volumes


class TargetArgs(TypedDict):
    """Where the repo-server is, and whether to wait for it."""

    namespace: NotRequired[pulumi.Input[str]]
    """Namespace of Argo CD's repo-server (default `argocd`)."""
    deployment: NotRequired[pulumi.Input[str]]
    """Name of its Deployment (default `argocd-repo-server`; argo-helm puts its release first)."""
    check_deployment: NotRequired[bool]
    """Look it up, at preview too (default true). Set false where the same stack makes it."""
    await_rollout: NotRequired[pulumi.Input[bool]]
    """Wait until the pods with the sidecar are ready (default true)."""
    rollout_seconds: NotRequired[int]
    """How long to wait for them before `up` fails and says what is wrong (default 600)."""


class ExportArgs(TypedDict):
    """Whether what is added to the repo-server is for somebody else to apply."""

    export: NotRequired[bool]
    """Patch nothing, and output what a `PluginExport` makes files of (default false)."""


class Addition(Protocol):
    """What is added to the pod."""

    @property
    def name(self) -> str:
        """The container's name, which begins with CONTAINER_PREFIX."""
        ...

    def pod_spec(self) -> Json:
        """Return the container and its volumes."""
        ...


@dataclass(frozen=True)
class Target:
    """The Deployment to patch, and whether to wait for it afterwards."""

    namespace: str
    deployment: str
    await_rollout: bool


@dataclass(frozen=True)
class _Live:
    """What the live Deployment says about sidecars."""

    target: Target
    annotations: Mapping[str, str]
    containers: Sequence[str]
    rolled_out: bool


@dataclass(frozen=True)
class Installed:
    """A container of the repo-server: in its Deployment, or as data for who owns that."""

    container_name: pulumi.Output[str]
    """Known once the Deployment is patched, where it is."""
    exported: pulumi.Output[dict[str, Any]]
    """Container, volumes and ConfigMaps; nothing where the Deployment is patched."""


SKIP_AWAIT: Final = "pulumi.com/skipAwait"
_ROLLOUT_SECONDS = 600
TARGET: Final = ("namespace", "deployment", "await_rollout")


def target(values: Mapping[str, Any]) -> Target:
    """Check the arguments that name the Deployment."""
    return Target(
        validation.dns_label("namespace", values.get("namespace", argocd.NAMESPACE)),
        validation.object_name("deployment", values.get("deployment", argocd.REPO_SERVER)),
        validation.flag("await_rollout", values.get("await_rollout", True)),
    )


def timeouts(where: str, given: Mapping[str, Any]) -> pulumi.CustomTimeouts:
    """Return how long a roll-out may take."""
    seconds = inputs.located(
        where,
        lambda: validation.whole_number(
            "rollout_seconds", given.get("rollout_seconds", _ROLLOUT_SECONDS), unit="seconds"
        ),
    )
    return pulumi.CustomTimeouts(create=f"{seconds}s", update=f"{seconds}s")


def install(
    name: str,
    where: str,
    given: Mapping[str, Any],
    addition: pulumi.Output[Any],
    *,
    shared_volumes: pulumi.Output[dict[str, str]],
    config_maps: pulumi.Output[Any],
    parent: pulumi.Resource,
) -> Installed:
    """Patch the Deployment that `given` names, or only export what would be added to it.

    `addition` is an Addition. `shared_volumes` are those that it uses and the Deployment must
    have, by the argument that names each. `config_maps` are manifests to export with it.
    """
    if inputs.plain_flag(where, given, "export", default=False):
        exported = pulumi.Output.all(addition, config_maps).apply(
            lambda known: {**known[0].pod_spec(), "configMaps": known[1]}
        )
        return Installed(addition.apply(lambda a: str(a.name)), exported)
    nothing: dict[str, Any] = {}
    name_once_patched = _patch(
        name, where, given, addition, shared_volumes=shared_volumes, parent=parent
    )
    return Installed(name_once_patched, pulumi.Output.from_input(nothing))


def _patch(
    name: str,
    where: str,
    given: Mapping[str, Any],
    addition: pulumi.Output[Any],
    *,
    shared_volumes: pulumi.Output[dict[str, str]],
    parent: pulumi.Resource,
) -> pulumi.Output[str]:
    """Patch the Deployment, and return the container's name once it is done."""
    destination = inputs.checked(where, inputs.pick(given, TARGET), target)
    options = pulumi.ResourceOptions(parent=parent, custom_timeouts=timeouts(where, given))
    if inputs.plain_flag(where, given, "check_deployment", default=True):
        live = _look_up(name, where, destination, shared_volumes, parent)
        destination = live.apply(lambda deployment: deployment.target)
        applied = pulumi.Output.all(live, addition).apply(lambda known: _applied(*known))
        options = pulumi.ResourceOptions.merge(options, reapply.options(applied, CONTAINER_PREFIX))
        taken = live.apply(lambda known: clash.Taken(known.containers, known.annotations))
        added = addition.apply(lambda a: clash.Taken([a.name], _claims(a)))
        options = pulumi.ResourceOptions.merge(options, clash.options(name, where, taken, added))
    patch = k8s.apps.v1.DeploymentPatch(
        name,
        # No `pulumi.com/patchFieldManager`: it would be one annotation of the live
        # Deployment that every plugin's patch wants to set otherwise. The provider gives
        # each patch a field manager of its own.
        metadata={
            "namespace": destination.apply(lambda t: t.namespace),
            "name": destination.apply(lambda t: t.deployment),
            "annotations": pulumi.Output.all(destination, addition).apply(
                lambda known: _annotations(*known)
            ),
        },
        spec=addition.apply(lambda a: {"template": {"spec": a.pod_spec()}}),
        opts=options,
    )
    return pulumi.Output.all(addition, patch.metadata).apply(lambda known: str(known[0].name))


def _look_up(
    name: str,
    where: str,
    destination: pulumi.Output[Target],
    shared_volumes: pulumi.Output[dict[str, str]],
    parent: pulumi.Resource,
) -> pulumi.Output[_Live]:
    """Return the live Deployment, once it was found fit for a sidecar.

    The provider does not preview patches, so this read is what fails a preview when the
    namespace or the Deployment does not exist or may not be read.
    """
    deployment = k8s.apps.v1.Deployment.get(
        f"{name}-deployment",
        destination.apply(lambda t: f"{t.namespace}/{t.deployment}"),
        opts=pulumi.ResourceOptions(parent=parent),
    )

    def check(known: Sequence[Any]) -> _Live:
        found, expected, annotations, (containers, volumes), rolled_out = known
        where_to = f"{found.namespace}/{found.deployment}"
        inputs.located(where, lambda: check_volumes(where_to, volumes, expected))
        return _Live(found, annotations, containers, rolled_out)

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


def _annotations(destination: Target, addition: Addition) -> dict[str, str]:
    annotations = {_fingerprint_key(addition): reapply.fingerprint(addition.pod_spec())}
    annotations |= _claims(addition)
    if not destination.await_rollout:
        annotations[SKIP_AWAIT] = "true"
    return annotations


def _applied(live: _Live, addition: Addition) -> bool:
    """Tell whether the live Deployment is what the patch would make of it.

    That includes the roll-out, where it is waited for: an `up` after a failed one tries again.
    """
    expected = _annotations(live.target, addition)
    ours = {*expected, SKIP_AWAIT}
    found = {key: value for key, value in live.annotations.items() if key in ours}
    return (
        found == expected
        and addition.name in live.containers
        and (live.rolled_out or not live.target.await_rollout)
    )


def _claims(addition: Addition) -> dict[str, str]:
    return clash.claims(addition.pod_spec()["containers"])


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


def _fingerprint_key(addition: Addition) -> str:
    return f"argocd-cmp/{addition.name}"
