"""Adds a container to the repo-server's Deployment by server-side apply, and takes it away again.

The patch owns the container and the volumes it names and nothing else, so several plugins,
from one stack or many, coexist, and deleting it leaves the Deployment as it was before. A field
that somebody else owns is taken over only where `on_drift` says so; otherwise `up` fails and
names the owner.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NotRequired, Protocol, TypedDict

import pulumi
import pulumi_kubernetes as k8s

from ..container.container import CONTAINER_PREFIX, Json
from ..shared import argocd_names, inputs, reapply, rights, target
from ..shared.rights import Right
from ..shared.target import Target
from . import conflicts, drift, live
from .live import Live


class PatchArgs(TypedDict):
    """How something is added to the repo-server."""

    on_drift: NotRequired[pulumi.Input[str]]
    """What to do about changes that others made: `stop` and name them (default), or `restore`."""
    export: NotRequired[bool]
    """Patch nothing, but output what a `PluginExport` turns into files (default false)."""


_FORCE: Final = "pulumi.com/patchForce"
"""Takes fields over from their present owners."""


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
class Installed:
    """A container of the repo-server: in its Deployment, or as data for the owner of that."""

    container_name: pulumi.Output[str]
    """Known once the Deployment is patched, if it is."""
    exported: pulumi.Output[dict[str, Any]]
    """Container, volumes and ConfigMaps; nothing where the Deployment is patched."""


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


def needed_rights(namespace: str, given: Mapping[str, Any]) -> list[Right]:
    """Rights that the patch of `given` needs: none where somebody else applies it."""
    if given.get("export"):
        return []
    deployment = given.get("deployment", argocd_names.REPO_SERVER)
    return [
        *rights.patch(namespace, "apps", "deployments", deployment),
        *target.needed_rights(namespace, given),
    ]


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
    destination = inputs.checked(where, inputs.pick(given, target.TARGET), target.of)
    destination = pulumi.Output.all(where, destination, addition).apply(
        lambda known: _not_made_twice(*known)
    )
    on_drift = inputs.checked(where, inputs.pick(given, ("on_drift",)), _on_drift)
    options = pulumi.ResourceOptions(parent=parent, custom_timeouts=target.timeouts(where, given))
    if inputs.plain_flag(where, given, "check_deployment", default=True):
        found = live.look_up(name, where, destination, shared_volumes, parent)
        destination = pulumi.Output.all(where, found, addition, on_drift).apply(
            lambda known: _checked(*known)
        )
        applied = pulumi.Output.all(found, addition, on_drift).apply(lambda known: _applied(*known))
        options = pulumi.ResourceOptions.merge(options, reapply.options(applied, CONTAINER_PREFIX))
        taken = found.apply(lambda known: conflicts.Taken(known.containers, known.annotations))
        added = addition.apply(lambda a: conflicts.Taken([a.name], _claims(a)))
        options = pulumi.ResourceOptions.merge(
            options, conflicts.options(name, where, taken, added)
        )
    patch = k8s.apps.v1.DeploymentPatch(
        name,
        # No `pulumi.com/patchFieldManager`: it would be one annotation of the live
        # Deployment that every plugin's patch wants to set differently. The provider gives
        # each patch a field manager of its own.
        metadata={
            "namespace": destination.apply(lambda t: t.namespace),
            "name": destination.apply(lambda t: t.deployment),
            "annotations": pulumi.Output.all(destination, addition, on_drift).apply(
                lambda known: _annotations(*known)
            ),
        },
        spec=addition.apply(lambda a: {"template": {"spec": a.pod_spec()}}),
        opts=options,
    )
    return pulumi.Output.all(addition, patch.metadata).apply(lambda known: str(known[0].name))


def _not_made_twice(where: str, destination: Target, addition: Addition) -> Target:
    conflicts.refuse_second(where, destination, addition.name)
    return destination


def _on_drift(values: Mapping[str, Any]) -> str:
    return drift.mode(values.get("on_drift", drift.STOP))


def _checked(where: str, deployment: Live, addition: Addition, on_drift: str) -> Target:
    """Return the Deployment to patch, once nothing in it is in the way.

    Raises InstallerError for drift that is not to be restored, and for a port that is taken.
    """
    others = [c for c in deployment.pod["containers"] if c["name"] != addition.name]
    taken = conflicts.claims(others)
    inputs.located(
        where, lambda: conflicts.refuse_port("proxy_metrics_port", taken, _claims(addition))
    )
    if on_drift == drift.STOP:
        name = f"{deployment.target.namespace}/{deployment.target.deployment}"
        drift.refuse(where, name, _changes(deployment, addition))
    return deployment.target


def _changes(deployment: Live, addition: Addition) -> list[drift.Change]:
    """Return what somebody has changed since it was installed and an update would not put back.

    A field that is gone counts only while the content is the same: an update adds it again.
    """
    installed = deployment.annotations.get(_fingerprint_key(addition))
    if installed is None:
        return []
    changes = drift.find(addition.pod_spec(), deployment.pod, deployment.managed_fields)
    same = installed == reapply.fingerprint(addition.pod_spec())
    return [change for change in changes if same or change.owners]


def _annotations(destination: Target, addition: Addition, on_drift: str) -> dict[str, str]:
    annotations = {_fingerprint_key(addition): reapply.fingerprint(addition.pod_spec())}
    annotations |= _claims(addition)
    if not destination.await_rollout:
        annotations[target.SKIP_AWAIT] = "true"
    if on_drift == drift.RESTORE:
        annotations[_FORCE] = "true"
    return annotations


def _applied(deployment: Live, addition: Addition, on_drift: str) -> bool:
    """Tell whether the live Deployment is what the patch would make of it.

    That includes the roll-out, where it is waited for: an `up` after a failed one tries again.
    """
    expected = _annotations(deployment.target, addition, on_drift)
    ours = {*expected, target.SKIP_AWAIT, _FORCE}
    found = {key: value for key, value in deployment.annotations.items() if key in ours}
    return (
        found == expected
        and addition.name in deployment.containers
        and not _changes(deployment, addition)
        and (deployment.rolled_out or not deployment.target.await_rollout)
    )


def _claims(addition: Addition) -> dict[str, str]:
    return conflicts.claims(addition.pod_spec()["containers"])


def _fingerprint_key(addition: Addition) -> str:
    return f"argocd-cmp/{addition.name}"
