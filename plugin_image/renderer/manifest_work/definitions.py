"""What the CustomResourceDefinitions of a set say about their kinds.

Kinds are named as `ClusterIssuer.cert-manager.io` everywhere.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .. import kinds
from ..manifests import Manifest
from .entries import Entry


def kind_of(manifest: Manifest) -> str:
    """The object's kind with its group."""
    return f"{manifest['kind']}.{kinds.group_of(manifest['apiVersion'])}"


def scopes(entries: Iterable[Entry]) -> dict[str, bool]:
    """Whether the kinds that are defined have namespaces."""
    return {kind: spec.get("scope") != "Cluster" for kind, spec in _defined(entries)}


def plurals(entries: Iterable[Entry]) -> dict[str, str]:
    """What the API calls the kinds that are defined."""
    return {kind: str(spec["names"].get("plural")) for kind, spec in _defined(entries)}


def _defined(entries: Iterable[Entry]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for entry in entries:
        spec = entry.manifest.get("spec")
        if entry.manifest["kind"] == "CustomResourceDefinition" and isinstance(spec, dict):
            names = spec.get("names")
            if isinstance(names, dict) and "kind" in names and "group" in spec:
                yield f"{names['kind']}.{spec['group']}", spec
