"""Lists and objects in fields of another type, which no cluster takes.

Pulumi's SDK for Go never resolves the outputs of such a resource, so the code that registers it
waits for ever: the Kubernetes provider for the resources of its components, and programs in Go.
Source: pulumi/pulumi `sdk/go/pulumi/rpc.go` (unmarshalOutput).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from .... import kinds
from ....validation.built_in import NEWEST, OLDEST, BuiltIn
from ....validation.nodes import Node, misplaced
from ....validation.scalars import Scalar
from ..values import wire


def problem(manifest: Mapping[str, wire.Json]) -> str:
    """Return the first list or object in a field of another type, as a message has it, or nothing.

    The text goes on after the object's name. Of a custom resource only the metadata has a type.
    """
    node = _node(str(manifest["apiVersion"]), str(manifest["kind"]))
    if node:
        return next(_problems(manifest, node, ""), "")
    metadata = _known(NEWEST).named("meta.v1", "ObjectMeta")
    return next(_problems(manifest.get("metadata"), metadata, "metadata"), "")


def _problems(value: wire.Json, node: Node, path: str) -> Iterator[str]:
    value = wire.reveal(value)
    if not isinstance(value, (dict, list)) or wire.signature_of(value):
        return
    # A scalar of bytes may be a list of numbers to the API server, but not to the SDK.
    wanted = node.name if isinstance(node, Scalar) else node.wrong(value)
    if wanted:
        yield misplaced(value, path, wanted)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _problems(item, node.item(), f"{path}[{number}]")
    else:
        for key, part in value.items():
            below = node.below(key)
            if below:
                yield from _problems(part, below, f"{path}.{key}" if path else key)


@cache
def _node(api_version: str, kind: str) -> Node | None:
    """Return the schema of a built-in kind: of its own version, or of one that replaced it."""
    if kinds.is_custom(api_version):
        return None
    own = (_known(minor).kind(api_version, kind) for minor in (NEWEST, OLDEST))
    return next(filter(None, own), None) or next(_others(kind), None)


def _others(kind: str) -> Iterator[Node | None]:
    known = _known(NEWEST)
    return (known.kind(api_version, kind) for api_version in known.api_versions(kind))


@cache
def _known(minor: int) -> BuiltIn:
    return BuiltIn(minor)
