"""From a recording to the set of objects that Argo CD gets, or to the reason why there is none.

Everything here is pure.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from ...contract import pulumi as contract
from .. import kinds, manifests
from ..errors import ManifestError, RefusedError
from ..manifests import Manifest
from ..redaction import Finder
from ..stored import as_stored
from . import (
    clusters,
    ignored,
    keyless,
    lifecycle,
    lost_values,
    unreadable_secrets,
    unset_variables,
    waves,
)
from .monitor.recording import Recording, Registration
from .monitor.run_context import Unreadable
from .monitor.values import doubles, shapes, wire
from .options import Options

if TYPE_CHECKING:
    from ..validation.destination import Destination

_SET_BY_SERVER: Final = frozenset(
    {"creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "generation"}
    | {"managedFields", "resourceVersion", "selfLink", "uid"}
)
"""Properties of an object's metadata that are never its own to set.

They come with metadata that a program takes from another object, or with YAML that was read
from a cluster. Source: pulumi-kubernetes `provider/v4/pkg/provider/provider.go`, normalizeInputs.
"""

_DASHED: Final = {
    f"x_kubernetes_{words}": f"x-kubernetes-{words.replace('_', '-')}"
    for words in (
        "embedded_resource",
        "int_or_string",
        "list_map_keys",
        "list_type",
        "map_type",
        "preserve_unknown_fields",
        "validations",
    )
}
"""Keywords of a CustomResourceDefinition's schema as typed SDKs spell them, and as they are.

Source: the same file, mapReplUnderscoreToDash. There it is done in every object, whatever the
key stands for; here not in built-in kinds, which have no such property.
"""

_BOUNDS: Final = frozenset({"maximum", "minimum", "multipleOf"})
"""Of a schema; these are doubles in Kubernetes itself."""

_DEFINITION: Final = "CustomResourceDefinition"


def build(
    recording: Recording,
    options: Options,
    secrets: Finder | None,
    namespace: str,
    unreadable: Unreadable | None = None,
    *,
    destination: "Destination | None" = None,
) -> list[Manifest]:
    """The objects of a finished recording, in an order that depends on nothing but them.

    `namespace` is where those go that name none, and `unreadable` the secrets for which there
    are placeholders. With a `destination` the objects are checked against its schemas.
    Raises ManifestError for an object that is incomplete or defined twice, for a value that
    only a cluster could know, that cannot be read or that is not valid, for an object that
    cannot change without a key for its name (`keyless`), for sync options that contradict the
    object's resource options, for what the API server would refuse (`validation`), and for an
    empty set; RefusedError for a secret outside of a Secret,
    by its mark or because `secrets` finds it. `options` may allow the last two. Raises
    RefusedError for objects of several clusters, too, and UsageError where `options` name a wrong
    provider.
    """
    marks = shapes.Marks(recording.types())
    texts: set[str] | None = set() if secrets and not options.allow_plaintext_secrets else None
    chosen = clusters.choose(recording.registrations, options.provider)
    found = [(entry, _manifest(entry, recording, marks, options, texts)) for entry in chosen]
    _drop_namespaces([manifest for _, manifest in found])
    entries = _wanted(found, namespace)
    # By source: registrations come in no fixed order, and the message needs one.
    by_source = sorted(entries, key=lambda pair: (pair[0].source, pair[0].urn))
    if unreadable:
        unreadable_secrets.refuse(by_source, unreadable)
    unset_variables.refuse(by_source, recording.unset)
    for entry, manifest in by_source:
        _refuse_live_trigger(entry, recording, marks)
        keyless.refuse(entry, manifest)
    manifests.require_distinct(by_source, namespace)
    written = ignored.apply(by_source, namespace, options.ignore_changes)
    if secrets and texts is not None and secrets.is_in_any([*texts, *written]):
        _refuse_secrets(by_source, secrets)
    waves.add(entries, options.sync_waves)
    for entry, manifest in by_source:
        lifecycle.apply(entry, manifest, options.protection)
    if destination:
        destination.require_valid(by_source)
    if not options.allow_empty:
        manifests.require_any(entries, "the program registered", contract.ALLOW_EMPTY.name)
    return manifests.ordered([manifest for _, manifest in entries])


def _drop_namespaces(found: Sequence[Manifest]) -> None:
    """Drop the namespace of objects that have none, as definitions of the set say.

    Each custom resource gets that of its provider, which may come before its definition.
    """
    without = kinds.cluster_scoped(found)
    for manifest in found:
        if (kinds.group_of(manifest["apiVersion"]), manifest["kind"]) in without:
            manifest["metadata"].pop("namespace", None)


def _wanted(
    entries: Sequence[tuple[Registration, Manifest]], namespace: str
) -> list[tuple[Registration, Manifest]]:
    """The entries without those that are there only unless the same object is given otherwise.

    Of several of these that are equal one stays, of others all, which cannot be.
    """

    def key(manifest: Manifest) -> tuple[str, ...]:
        return manifests.identity(manifest, namespace)

    given = {key(manifest) for entry, manifest in entries if not entry.unless_given}
    spare: dict[tuple[str, ...], list[Manifest]] = {}
    left_out = set()
    # By URN: registrations come in no fixed order.
    for entry, manifest in sorted(entries, key=lambda pair: pair[0].urn):
        others = spare.setdefault(key(manifest), [])
        if entry.unless_given and (key(manifest) in given or manifest in others):
            left_out.add(entry.urn)
        elif entry.unless_given:
            others.append(manifest)
    return [pair for pair in entries if pair[0].urn not in left_out]


def _manifest(
    entry: Registration,
    recording: Recording,
    marks: shapes.Marks,
    options: Options,
    texts: set[str] | None,
) -> Manifest:
    allowed = options.allow_plaintext_secrets
    readable = _Plain(entry, recording, marks, secrets_allowed=allowed, texts=texts)
    hidden = _Plain(entry, recording, marks, secrets_allowed=True)
    places = _places_of_secrets(entry.object)
    manifest: Manifest = {
        key: (hidden if key in places else readable).value(part, key)
        for key, part in sorted(entry.object.items())
    }
    manifests.require_identity(entry, manifest)
    # Keys in the order people expect, else by name: messages carry maps in any order.
    head = {key: manifest[key] for key in ("apiVersion", "kind", "metadata")}
    return as_stored(head | manifest)


def _refuse_live_trigger(entry: Registration, recording: Recording, marks: shapes.Marks) -> None:
    """Raise ManifestError for a name that depends on what only a cluster knows."""
    plain = _Plain(entry, recording, marks, secrets_allowed=True)
    for path, text in _texts(wire.plain(entry.replacement_trigger), "replacementTrigger"):
        plain.refuse_unknown(text, path)


def _places_of_secrets(manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """The fields that are for secrets; everybody may read the names and labels of a Secret."""
    is_secret = manifest.get("apiVersion") == "v1" and manifest.get("kind") == "Secret"
    return ("data", "stringData") if is_secret else ()


def _refuse_secrets(entries: Iterable[tuple[Registration, Manifest]], secrets: Finder) -> None:
    """Raise RefusedError for the first secret that the program has put in plain, without a mark."""
    for entry, manifest in entries:
        places = _places_of_secrets(manifest)
        for key, part in sorted(manifest.items()):
            for path, text in () if key in places else _texts(part, key):
                if secrets.is_in_any([text]):
                    raise _readable(entry, path)


def _texts(node: Any, path: str) -> Iterator[tuple[str, str]]:
    """Every string of a tree with its path: keys, too, and numbers as they are written."""
    if isinstance(node, Mapping):
        for key, part in node.items():
            yield f"{path}.{key}", key
            yield from _texts(part, f"{path}.{key}")
    elif isinstance(node, list):
        for i, part in enumerate(node):
            yield from _texts(part, f"{path}[{i}]")
    else:
        yield path, str(node)


def _readable(entry: Registration, path: str) -> RefusedError:
    instead = "its data" if _places_of_secrets(entry.object) else "a Secret"
    return RefusedError(
        f"{entry} has a secret value in {path}, where anyone can read it",
        fix=f"put it into {instead}, or set the plugin parameter "
        f"`{contract.ALLOW_PLAINTEXT_SECRETS.name}` to true",
    )


class _Plain:
    """Turns one object's wire form into plain data, and refuses what has no such form."""

    def __init__(
        self,
        entry: Registration,
        recording: Recording,
        marks: shapes.Marks,
        *,
        secrets_allowed: bool,
        texts: set[str] | None = None,
    ) -> None:
        """`texts` takes every string once, for most occur many times."""
        self._entry = entry
        self._recording = recording
        self._marks = marks
        self._secrets_allowed = secrets_allowed
        self._texts = texts
        self._is_definition = entry.object["kind"] == _DEFINITION
        schemas = self._is_definition or kinds.is_custom(str(entry.object["apiVersion"]))
        self._names = _DASHED if schemas else {}

    def value(self, node: Any, path: str) -> Any:
        if wire.is_secret(node) and not self._secrets_allowed:
            raise _readable(self._entry, path)
        node = wire.reveal(node)
        if wire.signature_of(node):
            return self._special(node, path)
        if isinstance(node, Mapping):
            return self._mapping(node, path)
        if isinstance(node, list):
            return [self.value(part, f"{path}[{i}]") for i, part in enumerate(node)]
        if isinstance(node, str):
            self._refuse_lost(node, path)
        elif isinstance(node, float):
            self._refuse_inexact(node, path)
        self.refuse_unknown(node, path)
        if self._texts is not None:
            self._texts.add(str(node))
        return node

    def _mapping(self, node: Mapping[str, Any], path: str) -> dict[str, Any]:
        if self._texts is not None:
            self._texts.update(node)
        left_out = _SET_BY_SERVER if path == "metadata" else ()
        found = {}
        for key, part in sorted(node.items()):
            if key not in left_out:
                below = f"{path}.{key}"
                self._refuse_lost(key, below)
                found[self._names.get(key, key)] = self.value(part, below)
        return found

    def _special(self, node: Mapping[str, Any], path: str) -> Any:
        if wire.signature_of(node) == wire.RESOURCE:
            return self.value(wire.referred(node), path)
        raise ManifestError(
            f"{self._entry} has an asset or archive in {path}, which Kubernetes has no place for",
            fix="read the file in the program and pass its text",
        )

    def _refuse_lost(self, text: str, path: str) -> None:
        lost = lost_values.find(text, by_program=not self._entry.component)
        if lost:
            raise ManifestError(
                f"{self._entry} has in {path} the text {lost.text!r}, which stands where a value "
                "should",
                fix=lost.fix,
            )

    def _refuse_inexact(self, number: float, path: str) -> None:
        """Refuse what is not a number, and what may be an integer that was rounded on its way."""
        if not math.isfinite(number):
            raise ManifestError(
                f"{self._entry} has in {path} the number {number}, which JSON does not have",
                fix="pass a finite number",
            )
        bound = self._is_definition and path.rpartition(".")[2] in _BOUNDS
        if doubles.may_be_rounded(number) and not bound:
            raise ManifestError(
                f"{self._entry} has the number {int(number)} in {path}, and beyond 2^53 "
                "integers reach no provider of Pulumi exactly: this one may be rounded",
                fix="pass it as a string, where the property takes one",
            )

    def refuse_unknown(self, node: Any, path: str) -> None:
        """Raise ManifestError for a value that was never computed, or that only a cluster knows."""
        if node == wire.UNKNOWN:
            raise self._never_computed(path)
        if self._recording.numbers_cut and shapes.may_be_cut(node):
            raise ManifestError(
                f"{self._entry} needs in {path} a number that only the cluster knows, of which "
                f"Pulumi's SDK for Java makes {node!r}",
                fix="set it in the program or as configuration",
            )
        mark = self._marks.find(node)
        if mark:
            index, position = mark
            origin = self._recording.origin(index)
            raise ManifestError(
                f"{self._entry} needs in {path} the value of "
                f"{shapes.describe(origin.type, position)} of {origin}, which only the cluster "
                "knows",
                fix="set it in the program or as configuration, or refer to the object by its name",
            )

    def _never_computed(self, path: str) -> ManifestError:
        left_out = self._recording.left_out
        of = [left_out[urn] for urn in sorted(self._entry.dependencies) if urn in left_out]
        if not of:
            return ManifestError(
                f"{self._entry} has a value in {path} that the program never computed"
            )
        return ManifestError(
            f"{self._entry} needs in {path} a value of {' or '.join(of)}, which is left out",
            fix="pass the value as configuration, or let `pulumi up` deploy this object, too",
        )
