"""Which entries leave the cache so that others have room."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple


class Entry(NamedTuple):
    """One entry, as far as making room is concerned."""

    path: Path
    bytes: int
    last_use: float
    """Seconds since the epoch."""


def least_recently_used(
    entries: Iterable[Entry], most_bytes: int, in_use_since: float
) -> list[Entry]:
    """Those that have to go so that the rest holds at most `most_bytes`, least recently used first.

    What was used after `in_use_since` may be in use and stays, however much it holds.
    """
    by_use = sorted(entries, key=lambda entry: entry.last_use)
    held = sum(entry.bytes for entry in by_use)
    removed = []
    for entry in by_use:
        if held <= most_bytes or entry.last_use > in_use_since:
            break
        removed.append(entry)
        held -= entry.bytes
    return removed
