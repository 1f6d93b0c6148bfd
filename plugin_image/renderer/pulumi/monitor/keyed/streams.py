"""Random bits that are the same each time: HMAC-SHA256 in counter mode, by a key and a seed.

Without the key they cannot be told from drawn ones, and those of one seed tell nothing of another.
Numbers are drawn without bias. The values of live objects depend on every step here: none of it can
change without changing them all.
"""

import hmac
import json
from collections.abc import MutableSequence, Sequence
from typing import Any, Final, TypeVar

_HASH: Final = "sha256"
_COUNTER_BYTES: Final = 8
_BITS: Final = 8

_Item = TypeVar("_Item")


def derived_key(key: bytes, *purpose: Any) -> bytes:
    """Another key of 32 bytes for a purpose, told in plain data; it does not reveal the first."""
    told = json.dumps(purpose, sort_keys=True, separators=(",", ":"))
    return hmac.digest(key, told.encode(), _HASH)


class Stream:
    """The random bits of one key."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._blocks = 0
        self._left = b""

    def take(self, count: int) -> bytes:
        """The next so many bytes."""
        parts = [self._left]
        missing = count - len(self._left)
        while missing > 0:
            counter = self._blocks.to_bytes(_COUNTER_BYTES, "big")
            parts.append(hmac.digest(self._key, counter, _HASH))
            missing -= len(parts[-1])
            self._blocks += 1
        drawn = b"".join(parts)
        self._left = drawn[count:]
        return drawn[:count]

    def below(self, bound: int) -> int:
        """A whole number of at least 0 and less than `bound`, each as likely as the others."""
        bits = (bound - 1).bit_length()
        count = -(-bits // _BITS)
        while True:
            number = int.from_bytes(self.take(count), "big") >> (count * _BITS - bits)
            if number < bound:
                return number

    def choice(self, items: Sequence[_Item]) -> _Item:
        """One of the items, each as likely as the others."""
        return items[self.below(len(items))]

    def shuffle(self, items: MutableSequence[_Item]) -> None:
        """Put the items into an order, in place, each as likely as the others."""
        for last in range(len(items) - 1, 0, -1):
            other = self.below(last + 1)
            items[last], items[other] = items[other], items[last]
