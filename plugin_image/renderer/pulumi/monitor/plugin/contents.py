"""What is in the texts that the provider makes objects from, before any of it is lost.

The provider reads YAML leniently: of a key given twice it takes the last, likewise of two equal
objects of one component; it may leave out what has no kind; and of the documents that it does
not tell apart it reads the first. Source: pulumi-kubernetes
provider/pkg/provider/yaml/v2/yaml.go (Parse, Register) and invoke_decode_yaml.go.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from .... import charts, kubernetes_yaml, manifests
from ....errors import ManifestError
from ..errors import Refusal

_TEMPLATE: Final = re.compile(r"^---\n# Source: (.+)$", re.MULTILINE)
_ADDRESS: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_PATTERN: Final = re.compile(r"[*?\[]")
_UNLIKE: Final = re.compile(r"\\|\[\^|^/.*[*?\[]")
"""Patterns that Go and Python read differently."""


@dataclass(frozen=True)
class Content:
    """One object, and where it stands."""

    place: str
    manifest: Mapping[str, Any]

    def __str__(self) -> str:
        return self.place

    @property
    def is_beside_templates(self) -> bool:
        """Whether it is a definition in a chart's folder `crds`."""
        return charts.is_beside_templates(self.place, self.manifest)


def documents(text: str, origin: str, *, of_chart: bool = False) -> list[Any]:
    """The documents of a YAML text that are not empty.

    Raises Refusal for what cannot be read, and for a key given twice; in a chart's text only
    where the values differ, for those who deliver a chart seldom wrote it.
    """
    try:
        found = kubernetes_yaml.parse_all(text.encode(), repeated_keys=of_chart)
    except ValueError as error:
        raise Refusal(f"{origin} cannot be read: {error}", "correct it") from error
    return [document for document in found if document != {}]


def objects(found: Sequence[Any], origin: str) -> list[Content]:
    """The objects among documents, those of lists too. Raises Refusal for anything else."""
    places = [f"document {n} of {origin}" for n in range(1, len(found) + 1)]
    if len(found) == 1:
        places = [origin]
    return [
        content
        for document, place in zip(found, places, strict=True)
        for content in _objects(document, place)
    ]


def of_chart(text: str, chart: str) -> list[Content]:
    """The objects of what Helm made of a chart, each with its template. Raises as `documents`.

    A definition that comes again unchanged counts once, as with Helm: of a chart that another one
    depends on under two names.
    """
    # The text before the first mark is empty; then names and texts alternate.
    before, *parts = _TEMPLATE.split(text)
    if before.strip():
        parts = [chart, text]  # a post-renderer rewrote it
    found = [
        content
        for name, part in zip(parts[::2], parts[1::2], strict=True)
        for content in objects(documents(part, name, of_chart=True), name)
    ]
    repeated = charts.repeated_definitions([(c.place, c.manifest) for c in found])
    return [content for number, content in enumerate(found) if number not in repeated]


def of_files(names: Iterable[str], folder: Path, *, patterns: bool) -> list[Content] | None:
    """The objects of files; None where not all are here to be read.

    The provider downloads those with a URL itself, and names what is missing. Where two patterns
    match one file, it makes its objects once.
    """
    read: dict[Path, list[Content]] = {}
    for name in names:
        if _ADDRESS.match(name) or (patterns and _UNLIKE.search(name)):
            return None
        paths = [folder / name]
        if patterns and _PATTERN.search(name):
            paths = sorted(folder.glob(name.replace("**", "*")))
        for path in map(Path, map(os.path.normpath, paths)):
            if path in read:
                continue
            try:
                text = path.read_text(encoding="utf-8", errors="replace")
            except OSError:
                return None
            place = os.path.relpath(path, folder)
            read[path] = objects(documents(text, place), place)
    return [content for contents in read.values() for content in contents]


def require_distinct(contents: Iterable[Content], called: str, namespace: str) -> None:
    """Raise Refusal for an object defined twice; `namespace` is where those that name none go."""
    named = [(content, content.manifest) for content in contents if _is_named(content.manifest)]
    try:
        manifests.require_distinct(named, namespace)
    except ManifestError as error:
        raise Refusal(f"in {called}, {error.summary}", error.fix) from error


def _objects(node: Any, place: str) -> Iterator[Content]:
    if not isinstance(node, Mapping):
        raise Refusal(f"{place} is not a Kubernetes object", "correct it, or take it out")
    if isinstance(node.get("items"), list):
        for number, item in enumerate(node["items"], start=1):
            yield from _objects(item, f"item {number} of {place}")
        return
    for field in ("apiVersion", "kind"):
        if not isinstance(node.get(field), str) or not node[field]:
            raise Refusal(f"{place} has no {field}", "give it one, or take it out")
    _require_metadata(node.get("metadata"), place)
    yield Content(place, node)


def _require_metadata(metadata: Any, place: str) -> None:
    """Raise Refusal for a name or namespace that the provider refuses or replaces."""
    if metadata is None:
        return
    if not isinstance(metadata, Mapping):
        raise Refusal(f"{place} has metadata that are not a map", "correct them")
    for field in ("name", "namespace"):
        if not isinstance(metadata.get(field), str | None):
            raise Refusal(f"{place} has a metadata.{field} that is not a string", "quote it")


def _is_named(manifest: Mapping[str, Any]) -> bool:
    """Whether it has a name of its own; the provider refuses what has none."""
    metadata = manifest.get("metadata")
    if not isinstance(metadata, Mapping):
        return False
    namespace = metadata.get("namespace")
    return isinstance(metadata.get("name"), str) and isinstance(namespace, str | None)
