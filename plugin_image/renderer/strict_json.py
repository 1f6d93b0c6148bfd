"""JSON in which no object repeats a key; Python's own parser takes the last."""

from typing import Any


def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object, as an `object_pairs_hook`. Raises ValueError for a repeated key."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"an object has the key {twice} twice: keep one of them")
    return found
