"""From a recording to the set of objects that Argo CD gets, or to the reason why there is none.

Everything here is pure.
"""

import math
from collections.abc import Mapping
from typing import Any

from plugin_image import contract
from plugin_image.renderer import manifests
from plugin_image.renderer.errors import ManifestError, RefusedError
from plugin_image.renderer.manifests import Manifest
from plugin_image.renderer.pulumi import waves
from plugin_image.renderer.pulumi.monitor import shapes, wire
from plugin_image.renderer.pulumi.monitor.recording import Recording, Registration
from plugin_image.renderer.pulumi.options import Options


def build(recording: Recording, options: Options) -> list[Manifest]:
    """The objects of a finished recording, in an order that depends on nothing but them.

    Raises ManifestError for an object that is incomplete or there twice, for a value that
    only a cluster could know, and for an empty set; RefusedError for a secret value
    outside of a Secret. `options` may allow the last two.
    """
    entries = [(entry, _manifest(entry, recording, options)) for entry in recording.registrations]
    # By source: registrations come in no fixed order, and the message should.
    by_source = sorted(entries, key=lambda pair: (pair[0].source, pair[0].urn))
    manifests.require_distinct(by_source, options.namespace)
    if options.sync_waves:
        waves.add(entries)
    if not options.allow_empty:
        manifests.require_any(entries, "the program registered", contract.ALLOW_EMPTY.name)
    return manifests.ordered([manifest for _, manifest in entries])


def _manifest(entry: Registration, recording: Recording, options: Options) -> Manifest:
    secrets_allowed = options.allow_plaintext_secrets or entry.object["kind"] == "Secret"
    manifest: Manifest = _Plain(entry, recording, secrets_allowed=secrets_allowed).value(
        entry.object, ""
    )
    manifests.require_identity(entry, manifest)
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
