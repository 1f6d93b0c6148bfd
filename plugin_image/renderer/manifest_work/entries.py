"""Objects with where they come from, which every message about one of them says."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .. import kinds, manifests
from ..errors import ManifestError
from ..manifests import Manifest
from ..stored import as_stored
from . import sharding


@dataclass(frozen=True)
class Entry:
    """One object that goes into a ManifestWork."""

    origin: str
    """A file, or the program that made it."""
    manifest: Manifest

    @cached_property
    def size(self) -> int:
        """Bytes, as OCM counts them."""
        return sharding.size_of(self.manifest)

    def __str__(self) -> str:
        return f"{self.manifest['kind']} {self.manifest['metadata']['name']!r} ({self.origin})"


def entries_of(documents: Iterable[Any], origin: str, fix: str) -> Iterator[Entry]:
    """The objects among the documents of one file or program, those inside lists, too.

    Raises ManifestError for a document that is not a Kubernetes object, with what to do about it.
    """
    for number, document in enumerate(documents, start=1):
        yield from _entries(document, origin, f"document {number} of {origin}", fix)


def _entries(node: Any, origin: str, place: str, fix: str) -> Iterator[Entry]:
    if not isinstance(node, dict) or not node.get("kind"):
        raise ManifestError(f"{place} is not a Kubernetes object", fix=fix)
    if _is_list(node):
        for number, item in enumerate(node["items"], start=1):
            yield from _entries(item, origin, f"item {number} of {place}", fix)
        return
    manifests.require_identity(place, node)
    yield Entry(origin, _as_the_hub_has_it(as_stored(node)))


def _as_the_hub_has_it(manifest: Manifest) -> Manifest:
    """The object as the hub's API server keeps it in a ManifestWork.

    It leaves out what is empty in the metadata of objects within objects, and Argo CD would find
    the ManifestWork out of sync for ever. Source: k8s.io/apiextensions-apiserver,
    pkg/apiserver/schema/objectmeta/coerce.go.
    """
    metadata = manifest["metadata"]
    kept = {key: value for key, value in metadata.items() if value not in (None, "", {}, [])}
    return {**manifest, "metadata": kept}


def _is_list(node: Mapping[str, Any]) -> bool:
    """Whether this is a list of objects, not a custom object whose kind has such a name."""
    api_version, kind, metadata = node.get("apiVersion"), str(node["kind"]), node.get("metadata")
    if not isinstance(node.get("items"), list) or not isinstance(api_version, str):
        return False
    named = isinstance(metadata, dict) and metadata.get("name")
    typed = kind.endswith("List") and not kinds.is_custom(api_version) and not named
    return typed or (api_version, kind) == ("v1", "List")
