"""From kpt's ResourceList to the set of objects that Argo CD gets.

Everything here is pure.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import yaml

from ...contract import kpt as contract
from .. import kubernetes_yaml, manifests
from ..errors import ManifestError
from ..manifests import Manifest
from ..stored import as_stored
from .options import Options

_LOCAL = "config.kubernetes.io/local-config"
_PATH = "config.kubernetes.io/path"
_INDEX = "config.kubernetes.io/index"
_OWN = frozenset({_LOCAL, _PATH, _INDEX, "config.kubernetes.io/package", "config.k8s.io/id"})
_OWN_PREFIXES = ("internal.config.kubernetes.io/", "internal.kpt.dev/")
"""Annotations by which kpt and its functions talk to each other."""

_ITEM = re.compile(r"items\[(\d+)\]\.")

_KUSTOMIZE_GROUP = "kustomize.config.k8s.io/"
_KUSTOMIZATION = re.compile(r"\bkustomization\.ya?ml$")

_KPT_GROUP = "kpt.dev"
_KPT_KINDS = ("Kptfile", "ResourceGroup")
"""What describes a package, or what `kpt live` keeps about one; never of use in a cluster."""


def build(resource_list: bytes, options: Options, namespace: str) -> list[Manifest]:
    """The objects of a rendered package, in an order that depends on nothing but them.

    `namespace` is for those that name none.
    Raises ManifestError for an object that is incomplete, a list or a duplicate, for a value
    that JSON does not have, and for an empty set, which `options` may allow.
    """
    entries = []
    for item in _items(resource_list):
        source = _source(item)
        if not isinstance(item, dict):
            raise ManifestError(f"{source} is not a mapping", fix="correct the package's functions")
        _require_annotations(item, source)
        if not _is_local(item, source):
            _refuse_kustomization(item, source)
            manifests.require_identity(source, item)
            entries.append((source, _annotated(as_stored(item), options.annotations)))
    entries.sort(key=lambda entry: entry[0])
    manifests.require_distinct(entries, namespace)
    if not options.allow_empty:
        manifests.require_any(entries, "the package renders", contract.ALLOW_EMPTY.name)
    return manifests.ordered([manifest for _, manifest in entries])


def _items(resource_list: bytes) -> Iterable[Any]:
    """The objects, read as Argo CD would read what kpt writes."""
    try:
        (parsed,) = kubernetes_yaml.parse_all(resource_list)
    except ValueError as error:
        raise ManifestError(
            f"what kpt rendered cannot be a manifest: {_with_file(str(error), resource_list)}",
            fix="correct the package",
        ) from error
    return parsed.get("items") or []


def _with_file(reason: str, resource_list: bytes) -> str:
    """The reason with a place that its reader knows, instead of `items[7].data`."""
    match = _ITEM.match(reason)
    if not match:
        return reason
    # All that this loader makes are strings, lists and maps, whatever their tags.
    items = yaml.load(resource_list, Loader=yaml.BaseLoader)["items"]  # noqa: S506
    return f"{_source(items[int(match[1])])}, {reason[match.end() :]}"


def _source(item: Any) -> str:
    """The file that an object is in, for messages."""
    annotations = _annotations(item)
    path = annotations.get(_PATH) or annotations.get(f"internal.{_PATH}")
    index = annotations.get(_INDEX) or annotations.get(f"internal.{_INDEX}") or "0"
    return f"object {int(index) + 1} of {path}" if path and index.isdigit() else "an object"


def _annotations(manifest: Any) -> Mapping[str, Any]:
    """The object's annotations; empty when there is no such map."""
    metadata = manifest.get("metadata") if isinstance(manifest, Mapping) else None
    annotations = metadata.get("annotations") if isinstance(metadata, Mapping) else None
    return annotations if isinstance(annotations, Mapping) else {}


def _require_annotations(manifest: Manifest, source: str) -> None:
    """Raise ManifestError for annotations that are not a map: they would be lost."""
    metadata = manifest.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, Mapping) else None
    if not isinstance(annotations, Mapping | None):
        name = metadata.get("name") if isinstance(metadata, Mapping) else None
        raise ManifestError(
            f"{source}, {manifest.get('kind')} {name!r}, has metadata.annotations that are not a "
            "mapping",
            fix="write them as `name: value`",
        )


def _is_local(manifest: Manifest, source: str) -> bool:
    """Whether the object is for tools only."""
    group, _, _ = str(manifest.get("apiVersion")).partition("/")
    if group == _KPT_GROUP and manifest.get("kind") in _KPT_KINDS:
        return True
    said = _annotations(manifest).get(_LOCAL, "false")
    if said not in ("true", "false"):
        raise ManifestError(
            f"{source} has the annotation {_LOCAL} with {said!r}", fix='use "true" or "false"'
        )
    return bool(said == "true")


def _refuse_kustomization(manifest: Manifest, source: str) -> None:
    """Raise ManifestError for what kustomize reads; kpt lets it pass, without a name or a kind.

    Source: kptdev/kpt pkg/api/kptfile/v1/validation.go, isKustomization.
    """
    version = str(manifest.get("apiVersion") or "")
    if version.startswith(_KUSTOMIZE_GROUP) or (not version and _KUSTOMIZATION.search(source)):
        raise ManifestError(
            f"{source} is for kustomize, which kpt does not run",
            fix="list the file in .krmignore, or render the folder with kustomize",
        )


def _annotated(manifest: Manifest, added: Mapping[str, str]) -> Manifest:
    """The object without kpt's own annotations, and with those that say where it comes from."""
    kept = {
        name: value
        for name, value in _annotations(manifest).items()
        if name not in _OWN and not name.startswith(_OWN_PREFIXES)
    }
    metadata = {key: value for key, value in manifest["metadata"].items() if key != "annotations"}
    if annotations := {**kept, **added}:
        metadata["annotations"] = dict(sorted(annotations.items()))
    head = {"apiVersion": manifest["apiVersion"], "kind": manifest["kind"], "metadata": metadata}
    return head | {key: value for key, value in manifest.items() if key not in head}
