"""From a recording to the set of objects that Argo CD gets, or to the reason why there is none.

Everything here is pure. A set is checked as a whole before a byte of it is written:
a missing or wrong object would be pruned or applied to a running cluster.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from plugin_image.renderer import waves
from plugin_image.renderer.errors import ManifestError, RefusedError
from plugin_image.renderer.monitor import kinds, shapes, wire
from plugin_image.renderer.monitor.recording import Recording, Registration
from plugin_image.renderer.options import Options

Manifest = dict[str, Any]

_FIRST = ("Namespace", "CustomResourceDefinition")
"""Kinds that others need to be there already, for readers who apply the stream as it is."""


def build(recording: Recording, options: Options) -> list[Manifest]:
    """The objects of a finished recording, in an order that depends on nothing but them.

    Raises ManifestError for an object that is incomplete or there twice, for a value that
    only a cluster could know, and for an empty set; RefusedError for a secret value
    outside of a Secret. `options` may allow the last two.
    """
    entries = [(entry, _manifest(entry, recording, options)) for entry in recording.registrations]
    _refuse_duplicates(entries, options.namespace)
    if options.sync_waves:
        waves.add(entries)
    if not entries and not options.allow_empty:
        raise ManifestError(
            "the program registered no Kubernetes objects, and Argo CD would prune what is running",
            fix="correct the program, or set the plugin parameter `allowEmpty` to true",
        )
    return sorted((manifest for _, manifest in entries), key=_order)


def _manifest(entry: Registration, recording: Recording, options: Options) -> Manifest:
    secrets_allowed = options.allow_plaintext_secrets or entry.object["kind"] == "Secret"
    manifest: Manifest = _Plain(entry, recording, secrets_allowed=secrets_allowed).value(
        entry.object, ""
    )
    _require_identity(entry, manifest)
    # Keys in the order people expect, else by name: messages carry maps in any order.
    head = {key: manifest[key] for key in ("apiVersion", "kind", "metadata")}
    return head | manifest


class _Plain:
    """Turns one object's wire form into plain data, and refuses what has none."""

    def __init__(self, entry: Registration, recording: Recording, *, secrets_allowed: bool) -> None:
        self._entry = entry
        self._recording = recording
        self._secrets_allowed = secrets_allowed

    def value(self, node: Any, path: str) -> Any:
        if wire.is_secret(node) and not self._secrets_allowed:
            raise RefusedError(
                f"{self._entry} has a secret value in {path or 'the whole object'}, "
                "where anyone can read it",
                fix="put it into a Secret, or set the plugin parameter `allowPlaintextSecrets` "
                "to true",
            )
        node = wire.reveal(node)
        if wire.signature_of(node):
            return self._special(node, path)
        if isinstance(node, Mapping):
            return {
                key: self.value(part, f"{path}.{key}" if path else key)
                for key, part in sorted(node.items())
            }
        if isinstance(node, list):
            return [self.value(part, f"{path}[{i}]") for i, part in enumerate(node)]
        self._refuse_unknown(node, path)
        return node

    def _special(self, node: Mapping[str, Any], path: str) -> Any:
        if wire.signature_of(node) == wire.RESOURCE:
            return self.value(node.get("id", ""), path)
        raise ManifestError(
            f"{self._entry} has an asset or archive in {path}, which Kubernetes has no place for",
            fix="read the file in the program and pass its text",
        )

    def _refuse_unknown(self, node: Any, path: str) -> None:
        if isinstance(node, float) and not math.isfinite(node):
            raise ManifestError(f"{self._entry} has a number in {path} that has no JSON form")
        if node == wire.UNKNOWN:
            raise ManifestError(
                f"{self._entry} has a value in {path} that the program never computed"
            )
        mark = shapes.find_mark(node)
        if mark:
            index, position = mark
            origin = next((e for e in self._recording.registrations if e.index == index), None)
            known = (
                f"{shapes.describe(origin.type, position)} of {origin}"
                if origin
                else "a live object"
            )
            raise ManifestError(
                f"{self._entry} needs in {path} the value of {known}, which only the cluster knows",
                fix="set it in the program or as configuration, or refer to the object by its name",
            )


def _require_identity(entry: Registration, manifest: Manifest) -> None:
    metadata = manifest.get("metadata")
    identity = {
        "apiVersion": manifest.get("apiVersion"),
        "kind": manifest.get("kind"),
        "metadata.name": metadata.get("name") if isinstance(metadata, Mapping) else None,
    }
    for path, value in identity.items():
        if not isinstance(value, str) or not value:
            raise ManifestError(
                f"{entry} has no {path}",
                fix="give the object a fixed one; Argo CD tracks objects by it",
            )


def _refuse_duplicates(
    entries: Iterable[tuple[Registration, Manifest]], default_namespace: str
) -> None:
    """The same object twice: one would silently win."""
    seen: dict[tuple[str, ...], Registration] = {}
    # By source: registrations come in no fixed order, and the message should.
    for entry, manifest in sorted(entries, key=lambda pair: (pair[0].source, pair[0].urn)):
        group, kind = kinds.group_of(manifest["apiVersion"]), manifest["kind"]
        namespace = manifest["metadata"].get("namespace") or default_namespace
        if not kinds.is_namespaced(manifest["apiVersion"], kind):
            namespace = ""
        name = manifest["metadata"]["name"]
        first = seen.setdefault((group, kind, namespace, name), entry)
        if first is not entry:
            raise ManifestError(
                f"{first} and {entry} are the same object, {kind} {name!r}",
                fix="give one of them another metadata.name or namespace",
            )


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
