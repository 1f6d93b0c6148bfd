"""Objects with where they come from, which every message about one of them says."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from plugin_image.renderer import manifests
from plugin_image.renderer.errors import ManifestError
from plugin_image.renderer.manifest_work import sharding
from plugin_image.renderer.manifests import Manifest


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


def entries_of(documents: Iterable[Any], origin: str) -> Iterator[Entry]:
    """The objects among the documents of one file or program, those inside of lists too.

    Raises ManifestError for a document that is no Kubernetes object.
    """
    for number, document in enumerate(documents, start=1):
        yield from _entries(document, origin, f"document {number} of {origin}")


def _entries(node: Any, origin: str, place: str) -> Iterator[Entry]:
    if not isinstance(node, dict) or not node.get("kind"):
        raise ManifestError(
            f"{place} is no Kubernetes object",
            fix="move the file out of the folder, or mark it with a comment "
            "`# +argocd:skip-file-rendering`",
        )
    if isinstance(node.get("items"), list) and str(node.get("kind", "")).endswith("List"):
        for number, item in enumerate(node["items"], start=1):
            yield from _entries(item, origin, f"item {number} of {place}")
        return
    manifests.require_identity(place, node)
    yield Entry(origin, node)
