"""The set of objects that Argo CD gets, and the checks of every renderer's result.

Everything here is pure. A set is checked as a whole before a byte of it is written:
a missing or wrong object would be pruned or applied to a running cluster.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from . import kinds
from .errors import ManifestError

Manifest = dict[str, Any]

_DEFINITION = "CustomResourceDefinition"

_FIRST = ("Namespace", _DEFINITION)
"""Kinds that others need to be there already, for readers who apply the stream as it is."""

_RENAMED = "give one of them another metadata.name or namespace"
_LEFT_OUT = "leave one of them out; a program's chart leaves out its own with skipCrds"
"""What is defined has but one name."""


def require_identity(source: object, manifest: Mapping[str, Any]) -> None:
    """Raise ManifestError, naming `source`, when Argo CD could not tell the object from others."""
    metadata = manifest.get("metadata")
    identity = {
        "apiVersion": manifest.get("apiVersion"),
        "kind": manifest.get("kind"),
        "metadata.name": metadata.get("name") if isinstance(metadata, Mapping) else None,
    }
    for path, value in identity.items():
        if value is None or value == "":
            raise ManifestError(
                f"{source} has no {path}",
                fix="give the object a fixed one; Argo CD tracks objects by it",
            )
        _require_text(source, path, value)
    namespace = metadata.get("namespace") if isinstance(metadata, Mapping) else None
    if namespace is not None:
        _require_text(source, "metadata.namespace", namespace)
    if isinstance(manifest.get("items", ()), list | None):
        raise ManifestError(
            f"{source} has a top-level field `items`, and Argo CD would take the object for a "
            "list and apply what is in it instead",
            fix="put the objects of a list there by themselves; an object of a kind of your own "
            "needs another field",
        )


def _require_text(source: object, path: str, value: Any) -> None:
    """Raise ManifestError for a number, as YAML reads a name of digits, or anything else."""
    if not isinstance(value, str):
        article = "an" if path == "apiVersion" else "a"
        raise ManifestError(f"{source} has {article} {path} that is not a string", fix="quote it")


def require_distinct(
    entries: Sequence[tuple[object, Mapping[str, Any]]], default_namespace: str
) -> None:
    """Raise ManifestError for two definitions of one object: one would silently win.

    Each entry is an object, and where it comes from.
    """
    seen: dict[tuple[str, ...], object] = {}
    for source, manifest in entries:
        key = identity(manifest, default_namespace)
        if key in seen:
            raise ManifestError(
                f"{seen[key]} and {source} are the same object, "
                f"{manifest['kind']} {manifest['metadata']['name']!r}",
                fix=_LEFT_OUT if manifest["kind"] == _DEFINITION else _RENAMED,
            )
        seen[key] = source


def identity(manifest: Mapping[str, Any], default_namespace: str) -> tuple[str, str, str, str]:
    """Group, kind, namespace and name: how Argo CD tells objects apart."""
    metadata = manifest["metadata"]
    namespace = metadata.get("namespace") or default_namespace
    if not kinds.is_namespaced(manifest["apiVersion"], manifest["kind"]):
        namespace = ""
    return (kinds.group_of(manifest["apiVersion"]), manifest["kind"], namespace, metadata["name"])


def require_any(manifests: Sequence[object], source: str, option: str) -> None:
    """Raise ManifestError for an empty set, which `option` of the Application would allow."""
    if not manifests:
        raise ManifestError(
            f"{source} no Kubernetes objects, and Argo CD would prune what is running",
            fix=f"correct it, or set the plugin parameter `{option}` to true",
        )


def ordered(manifests: Sequence[Manifest]) -> list[Manifest]:
    """The objects in an order that depends on nothing but them."""
    return sorted(manifests, key=_order)


def _order(manifest: Manifest) -> tuple[int, str, str, str, str]:
    kind = manifest["kind"]
    metadata = manifest["metadata"]
    rank = _FIRST.index(kind) if kind in _FIRST else len(_FIRST)
    return (
        rank,
        manifest["apiVersion"],
        kind,
        str(metadata.get("namespace") or ""),
        metadata["name"],
    )
