"""A ConfigMap that never changes: in the cluster, or as a manifest for somebody else to apply.

A change of the content makes a new ConfigMap, the pod's reference to it rolls the pods, and
only then is the old one deleted: scripts and settings never change under running pods.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from . import argocd_names, inputs, reapply, rights
from .rights import Right
from .validation import dns_label, object_name


@dataclass(frozen=True)
class ImmutableConfigMap:
    """A ConfigMap, by its name, and the manifest of one that Pulumi does not make itself."""

    name: pulumi.Output[str]
    manifests: pulumi.Output[list[dict[str, Any]]]
    """One, or none where the ConfigMap is in the cluster."""


def make(
    name: str,
    where: str,
    given: Mapping[str, Any],
    data: pulumi.Output[dict[str, str]],
    *,
    of: pulumi.Output[str],
    parent: pulumi.Resource,
) -> ImmutableConfigMap:
    """Make the ConfigMap in the namespace of `given`, or only its manifest where that exports.

    `of` is the container that it is for.
    """
    if inputs.plain_flag(where, given, "export", default=False):
        manifest = data.apply(lambda known: _manifest(name, known))
        named = manifest.apply(lambda m: str(m["metadata"]["name"]))
        return ImmutableConfigMap(named, manifest.apply(lambda m: [m]))
    namespace = inputs.checked(
        where,
        {"namespace": given.get("namespace", argocd_names.NAMESPACE)},
        lambda known: dns_label("namespace", known["namespace"]),
    )
    nothing: list[dict[str, Any]] = []
    made = create(name, namespace, data, of=of, parent=parent)
    return ImmutableConfigMap(made, pulumi.Output.from_input(nothing))


def create(
    name: str,
    namespace: pulumi.Output[str],
    data: pulumi.Output[dict[str, str]],
    *,
    of: pulumi.Output[str],
    parent: pulumi.Resource,
) -> pulumi.Output[str]:
    """Make the ConfigMap of a container, and return its generated name.

    A plugin's next version has one of its own, so that the way back from one that fails finds
    this one as it was.
    """

    def create_of(container: str) -> pulumi.Output[str]:
        # Pulumi's autonaming, not a hash of the content: going back to an earlier content after a
        # failed roll-out must not meet the object that still waits to be deleted.
        resource = f"{name}-{container}"
        config_map = k8s.core.v1.ConfigMap(
            resource,
            metadata={"namespace": namespace, "annotations": argocd_names.DELETE_AT_ONCE},
            immutable=True,
            data=data,
            # Its name before the container's was part of it.
            opts=pulumi.ResourceOptions(parent=parent, aliases=[pulumi.Alias(name=name)]),
        )
        return config_map.metadata.apply(lambda m: argocd_names.new_name_of(m, resource))

    return of.apply(create_of)


def needed_rights(namespace: str) -> list[Right]:
    """Rights needed to make it."""
    return rights.own(namespace, "", "configmaps")


def _manifest(name: str, data: Mapping[str, str]) -> dict[str, Any]:
    """Return the object without a namespace: whoever applies it knows where Argo CD is."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": object_name("the component's name", f"{name}-{reapply.fingerprint(data)}")
        },
        "immutable": True,
        "data": dict(data),
    }
