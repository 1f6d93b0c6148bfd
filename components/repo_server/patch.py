"""Adds a container to the repo-server's Deployment by server-side apply, and takes it away again.

The patch owns the container and the volumes it names and nothing else, so several plugins,
from one stack or many, coexist, and deleting it leaves the Deployment as it was before. A field
that somebody else owns is taken over only where `on_drift` says so; otherwise `up` fails and
names the owner.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NotRequired, TypedDict

import pulumi
import pulumi_kubernetes as k8s

from ..container.container import CONTAINER_PREFIX
from ..shared import argocd_names, inputs, reapply, rights, target
from ..shared.rights import Right
from ..shared.target import Target
from . import conflicts, drift, live
from .conflicts import Taken
from .desired import Desired
from .live import Live


class PatchArgs(TypedDict):
    """How something is added to the repo-server."""

    on_drift: NotRequired[pulumi.Input[str]]
    """What to do about changes that others made: `stop` and name them (default), or `restore`."""
    export: NotRequired[bool]
    """Patch nothing, but output what a `PluginExport` turns into files (default false)."""


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
    container: pulumi.Output[str],
    shared_volumes: pulumi.Output[dict[str, str]],
    config_maps: pulumi.Output[Any],
    parent: pulumi.Resource,
) -> Installed:
    """Patch the Deployment that `given` names, or only export what would be added to it.

    `addition` is an Addition, and `container` its name, which is known even while the rest is
    not. `shared_volumes` are those that it uses and the Deployment must have, by the argument
    that names each. `config_maps` are manifests to export with it.
    """
    if inputs.plain_flag(where, given, "export", default=False):
        exported = pulumi.Output.all(addition, config_maps).apply(
            lambda known: {**known[0].pod_spec(), "configMaps": known[1]}
        )
        return Installed(addition.apply(lambda a: str(a.name)), exported)
    nothing: dict[str, Any] = {}
    cluster = parent.get_provider("kubernetes:apps/v1:DeploymentPatch")
    destination = pulumi.Output.all(
        inputs.checked(where, inputs.pick(given, target.TARGET), target.of), where, container
    ).apply(lambda known: conflicts.alone_in(cluster, *known))
    on_drift = inputs.checked(where, inputs.pick(given, ("on_drift",)), _on_drift)
    exists = inputs.plain_flag(where, given, "check_deployment", default=True)
    deployment = live.look_up(
        name,
        where,
        destination if exists else _once_made(name, destination, parent),
        shared_volumes,
        parent,
    )
    desired = pulumi.Output.all(where, destination, addition, on_drift).apply(
        lambda known: _alone(cluster, Desired(*known))
    )
    checked = pulumi.Output.all(desired, deployment).apply(lambda known: _checked(*known))
    patch = _Patch(name, where, destination, checked, target.timeouts(where, given), parent)
    return Installed(container.apply(patch.make), pulumi.Output.from_input(nothing))


def needed_rights(namespace: str, given: Mapping[str, Any]) -> list[Right]:
    """Rights that the patch of `given` needs: none where somebody else applies it."""
    if given.get("export"):
        return []
    deployment = given.get("deployment", argocd_names.REPO_SERVER)
    return [
        *rights.patch(namespace, "apps", "deployments", deployment),
        *target.needed_rights(namespace, given),
    ]


def previewed_rights(namespace: str, given: Mapping[str, Any]) -> list[Right]:
    """Those of the needed rights that a preview takes, too: it looks the Deployment up."""
    if given.get("export"):
        return []
    deployment = given.get("deployment", argocd_names.REPO_SERVER)
    return rights.read(namespace, "apps", "deployments", deployment)


def _on_drift(values: Mapping[str, Any]) -> str:
    return drift.mode(values.get("on_drift", drift.STOP))


def _once_made(
    name: str, destination: pulumi.Output[Target], parent: pulumi.Resource
) -> pulumi.Output[Target]:
    """Return the Deployment as soon as it exists: unknown in the previews before that.

    A look-up of what does not exist fails. That a patch has been made says that it does; this
    one sets nothing but that nobody waits for it.
    """
    made = k8s.apps.v1.DeploymentPatch(
        f"{name}-made",
        metadata={
            "namespace": destination.apply(lambda t: t.namespace),
            "name": destination.apply(lambda t: t.deployment),
            "annotations": {target.SKIP_AWAIT: "true"},
        },
        opts=pulumi.ResourceOptions(parent=parent),
    )
    return pulumi.Output.all(destination, made.id).apply(lambda known: known[0])


def _alone(cluster: object, desired: Desired) -> Desired:
    """Return it, unless something else of this program has a port of it."""
    addition = desired.addition
    containers = addition.pod_spec()["containers"]
    field = addition.port_argument
    conflicts.ports_alone_in(cluster, desired.target, desired.where, field, containers)
    return desired


@dataclass(frozen=True)
class _Checked:
    """A patch that nothing is in the way of, and what it is to be applied to."""

    desired: Desired
    deployment: Live
    is_applied: bool


def _checked(desired: Desired, deployment: Live) -> _Checked:
    return _Checked(desired, deployment, desired.is_applied(deployment))


@dataclass(frozen=True)
class _Patch:
    """What a patch is made of, but for the container's name, which is part of its own."""

    name: str
    where: str
    destination: pulumi.Output[Target]
    checked: pulumi.Output[_Checked]
    timeouts: pulumi.CustomTimeouts
    parent: pulumi.Resource

    def make(self, container: str) -> pulumi.Output[str]:
        """Make it, and return the container's name once it is in the Deployment.

        Another name, as that of a plugin's next version, makes another patch: Pulumi adds the new
        container, lets what depends on it follow, and only then takes the old one away.
        """
        desired = self.checked.apply(lambda c: c.desired)
        patch = k8s.apps.v1.DeploymentPatch(
            f"{self.name}-{container}",
            # No `pulumi.com/patchFieldManager`: it would be one annotation of the live
            # Deployment that every plugin's patch wants to set differently. The provider gives
            # each patch a field manager of its own.
            metadata={
                # Without a name, as while an image is yet to be built, there is no preview.
                "namespace": self.destination.apply(lambda t: t.namespace),
                "name": self.destination.apply(lambda t: t.deployment),
                "annotations": desired.apply(lambda d: d.annotations),
            },
            spec=desired.apply(lambda d: {"template": {"spec": d.addition.pod_spec()}}),
            opts=self._options(container),
        )
        return patch.metadata.apply(lambda _: container)

    def _options(self, container: str) -> pulumi.ResourceOptions:
        taken = self.checked.apply(
            lambda c: Taken(c.deployment.containers, c.deployment.annotations)
        )
        added = self.checked.apply(lambda c: Taken(c.desired.containers, c.desired.claims))
        field = self.checked.apply(lambda c: c.desired.addition.port_argument)
        options = pulumi.ResourceOptions(
            parent=self.parent,
            custom_timeouts=self.timeouts,
            # Its name before the container's was part of it.
            aliases=[pulumi.Alias(name=self.name)],
        )
        for more in (
            reapply.options(self.checked.apply(lambda c: c.is_applied), CONTAINER_PREFIX),
            conflicts.options(f"{self.name}-{container}", self.where, taken, added, field),
        ):
            options = pulumi.ResourceOptions.merge(options, more)
        return options
