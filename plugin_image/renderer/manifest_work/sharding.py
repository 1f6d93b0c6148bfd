"""Which ManifestWork an object is in: a matter of the object's identity alone.

A render remembers nothing, so an object stays where it is from commit to commit only if
neither the other objects nor its own content have a say in it. With the limit on a
ManifestWork's size this leaves no room for a rule that never has to refuse: any two objects
may grow until they do not fit into one. So the number of shards is given, and what does not
fit is refused instead of moved.

Numbers of shards are powers of two. To double them moves an object from shard n to a new
one or not at all, never between two that were there: the new ones can be applied before
any other gives an object away.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

LARGEST = 1024
"""The most shards that are still a reasonable number of objects on the hub."""

_GO_ESCAPES = {"<": 5, ">": 5, "&": 5, "\u2028": 3, "\u2029": 3}
"""Additional bytes that Go's JSON needs for a character, compared with Python's."""


def shard_of(identity: Iterable[str], shards: int) -> int:
    """The shard of an object, of a power of two of them."""
    digest = hashlib.sha256("\0".join(identity).encode()).digest()
    return int.from_bytes(digest[:8], "big") % shards


def generation(shard: int) -> int:
    """How often the number of shards was doubled before this one appeared."""
    return shard.bit_length()


def size_of(manifest: Mapping[str, Any]) -> int:
    """The bytes that OCM's webhook counts for a manifest.

    That is its JSON as the API server writes it, and what Protocol Buffers would put before
    it. Source: open-cluster-management.io/ocm, pkg/work/webhook/common/validator.go.
    """
    text = json.dumps(manifest, ensure_ascii=False, separators=(",", ":"))
    length = len(text.encode(errors="surrogatepass"))
    length += sum(text.count(character) * more for character, more in _GO_ESCAPES.items())
    return length + 1 + (length.bit_length() + 6) // 7
