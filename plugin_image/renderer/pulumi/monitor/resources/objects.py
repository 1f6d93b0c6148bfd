"""What a deployment would make of an object that a program registers."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .... import kinds
from ... import property_path
from ...property_path import WILDCARD
from ..errors import MonitorError
from ..values import shapes, wire
from . import completion

Manifest = dict[str, Any]

_TOKEN_PARTS = 3
_LIST = "List"
_OF_TOKENS = "kubernetes.io/service-account-token"
"""The type of a Secret whose data the cluster fills in."""


def complete_kind(type_: str, manifest: Manifest) -> None:
    """Put in the apiVersion and kind that a type token stands for, where the SDK left them out.

    Raises MonitorError for what is not a token of the Kubernetes package.
    """
    parts = type_.split(":")
    if len(parts) != _TOKEN_PARTS or not all(parts):
        raise MonitorError("INVALID_ARGUMENT", f"{type_!r} is not the type of a Kubernetes object")
    _, group_version, kind = parts
    manifest.setdefault("apiVersion", group_version.removeprefix("core/"))
    manifest.setdefault("kind", kind)


def is_list(type_: str) -> bool:
    """Whether it stands for the objects among its items; a custom kind may be called so.

    Source: pulumi-kubernetes `provider/pkg/kinds/util.go` (IsListURN).
    """
    group_version = type_.partition(":")[2].rpartition(":")[0]
    custom = kinds.is_custom(group_version.removeprefix("core/"))
    return type_.endswith(_LIST) and not custom


def items(type_: str, manifest: Mapping[str, Any]) -> list[Manifest] | None:
    """The objects of a list, of the kind that it is a list of; None where they cannot be told."""
    found = manifest.get("items")
    if not isinstance(found, list) or not all(_is_object(item) for item in found):
        return None
    head: Manifest = {}
    if type_.rpartition(":")[2] != _LIST:
        complete_kind(type_.removesuffix(_LIST), head)
    return [{**head, **item} for item in found]


def paths_of_item(paths: Iterable[str], number: int) -> Iterator[str]:
    """What property paths of a list name in one of its items, or in all of them.

    One that cannot be read stays as it is, for whoever reads it then.
    """
    for text in paths:
        try:
            head, *below = property_path.parse(text)
        except ValueError:
            yield text
            continue
        if head in ("items", WILDCARD) and (not below or below[0] in (number, WILDCARD)):
            yield property_path.written(tuple(below[1:]) or (WILDCARD,))


def outputs_of_list(
    manifest: Manifest, found: Iterable[Manifest], *, secret: Iterable[str]
) -> Manifest:
    """A list as the program sees it, with the marks of secrets that its items would have."""
    hidden = {*secret, *("items" for item in found if item.get("kind") == "Secret")}
    return {
        key: wire.secret(wire.plain(part)) if key in hidden else part
        for key, part in manifest.items()
    }


def _is_object(item: wire.Json) -> bool:
    return isinstance(item, Mapping) and not wire.signature_of(item)


def type_of(manifest: Mapping[str, Any]) -> str:
    """The type token of an object that has an apiVersion and a kind."""
    group_version = str(manifest["apiVersion"])
    core = "" if "/" in group_version else "core/"
    return f"kubernetes:{core}{group_version}:{manifest['kind']}"


def complete_names(manifest: Manifest, *, name: wire.Json, namespace: wire.Json) -> None:
    """Give the object a name, and a namespace where its kind has one, unless it has its own.

    Both are strings, which may be marked as secret, or None.
    """
    given = _metadata(manifest)
    names = {}
    if name is not None and not is_named(manifest):
        names["name"] = name
    if namespace and is_namespaced(manifest) and not wire.reveal(given.get("namespace")):
        names["namespace"] = namespace
    wire.update(manifest, "metadata", names)
    mark_namespace(manifest, namespace)


def mark_namespace(manifest: Manifest, namespace: wire.Json) -> None:
    """Mark the object's namespace if it is this secret one, which a real provider filled in."""
    own = wire.reveal(_metadata(manifest).get("namespace"))
    if wire.is_secret(namespace) and own == wire.reveal(namespace):
        wire.update(manifest, "metadata", {"namespace": namespace})


def is_named(manifest: Mapping[str, Any]) -> bool:
    """Whether the object has a name."""
    return bool(wire.reveal(_metadata(manifest).get("name")))


def is_named_by_server(manifest: Mapping[str, Any]) -> bool:
    """Whether the object leaves its name to the API server, which Pulumi then does, too."""
    return bool(_metadata(manifest).get("generateName"))


def outputs(
    type_: str, index: int, manifest: Manifest, *, namespace: str, secret: Iterable[str]
) -> Manifest:
    """The object as a cluster would give it back: the inputs and what only it knows.

    `namespace` is where objects go that name none, `secret` which properties the SDK wants
    marked.
    """
    state: Manifest = wire.without_nulls(manifest)
    completion.complete(state)
    for key, added in shapes.placeholders(type_, index).items():
        if key != "data" or wire.reveal(state.get("type")) == _OF_TOKENS:
            wire.update(state, key, added, keep=True)
    if is_namespaced(state):
        wire.update(state, "metadata", {"namespace": namespace}, keep=True)
    if state["kind"] == "Secret":
        secret = {*secret, "data", "stringData"}
    for key in secret:
        if key in state:
            state[key] = wire.secret(wire.plain(state[key]))
    return {key: _with_marks(part) for key, part in state.items()}


def _with_marks(part: wire.Json) -> wire.Json:
    """A part of an object with the marks of secrets where the provider puts them: not in a list.

    Programs in YAML would copy an empty object in place of a secret in a list.
    Source: pulumi-kubernetes `provider/pkg/provider/provider.go` (annotateSecrets).
    """
    if wire.is_secret(part) or (isinstance(part, list) and wire.holds_secret(part)):
        return wire.secret(wire.plain(part))
    if isinstance(part, Mapping) and not wire.signature_of(part):
        return {key: _with_marks(value) for key, value in part.items()}
    return part


def identifier(state: Mapping[str, Any]) -> str:
    """The id that the Kubernetes provider gives: `namespace/name`, or the name alone."""
    metadata = _metadata(state)
    names = (wire.reveal(metadata.get(key)) for key in ("namespace", "name"))
    return "/".join(str(name) for name in names if name)


def _metadata(manifest: Mapping[str, Any]) -> Mapping[str, Any]:
    """The object's metadata, empty where it is not a mapping; the whole set is checked later."""
    metadata = wire.reveal(manifest.get("metadata"))
    return metadata if isinstance(metadata, Mapping) else {}


def is_namespaced(manifest: Mapping[str, Any]) -> bool:
    """Whether the object lives in a namespace."""
    return kinds.is_namespaced(str(manifest["apiVersion"]), str(manifest["kind"]))
