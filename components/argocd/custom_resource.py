"""Objects of Argo CD: registered, or as manifests for somebody else to apply."""

from collections.abc import Mapping
from typing import Any, Final

import pulumi
import pulumi_kubernetes as k8s

from . import metadata

_API_VERSION: Final = "argoproj.io/v1alpha1"

Content = pulumi.Output[dict[str, Any]]


def register(
    parent: pulumi.Resource, name: str, kind: str, named: Content, spec: Content
) -> k8s.apiextensions.CustomResource:
    """Register the object of a component; `named` is its metadata."""
    return k8s.apiextensions.CustomResource(
        name,
        api_version=_API_VERSION,
        kind=kind,
        metadata=named.apply(metadata.for_provider),
        spec=spec,
        opts=pulumi.ResourceOptions(parent=parent),
    )


def exported(kind: str, named: Content, spec: Content) -> Content:
    """Return the manifest, as a `PluginExport` takes it."""

    def manifest(known: list[Mapping[str, Any]]) -> dict[str, Any]:
        return {
            "apiVersion": _API_VERSION,
            "kind": kind,
            "metadata": dict(known[0]),
            "spec": dict(known[1]),
        }

    return pulumi.Output.all(named, spec).apply(manifest)
