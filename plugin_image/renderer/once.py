"""Lends processes that wait, each to one run: for what cannot be forked.

As many are ready as runs have been under way at once, if memory allows, and `what.most` does. Each
is below a guard (`waiting.py`).
"""

import os
from collections.abc import Collection

from . import loading, snapshots, waiting
from .guards import Guards
from .keeping import Keepable
from .stock import NotReadyError, Ready


class Once:
    """A `Stock`: processes that wait."""

    def __init__(self, what: Keepable) -> None:
        self._what = what
        self._guards = Guards(what, waiting.guard)
        self._lent: set[int] = set()
        self._wanted = 1
        self._guards.fill(self._wanted)

    def files(self) -> Collection[int]:
        """See `Stock`."""
        return self._guards.files()

    def heard(self) -> None:
        """See `Stock`."""
        self._guards.hear()
        self._guards.fill(self._wanted)

    def take(self) -> Ready:
        """See `Stock`."""
        self._lent = {pid for pid in self._lent if os.path.exists(f"/proc/{pid}")}  # noqa: PTH110
        self._wanted = min(max(self._wanted, len(self._lent) + 1), self._what.most)
        guard = next((guard for guard in self._guards.all if guard.is_ready), None)
        if guard:
            self._guards.all.remove(guard)
            self._lent.add(guard.pid)
        self._guards.fill(self._wanted)
        if guard is None:
            raise NotReadyError
        return Ready(guard.pid, guard.channel)

    def soon(self) -> int:
        """See `Stock`: one starts from a snapshot, unless it has to wait for memory."""
        starts = snapshots.is_there(self._what) and loading.has_room(self._what)
        return sum(not guard.is_ready for guard in self._guards.all) if starts else 0

    def children(self) -> Collection[int]:
        """See `Stock`."""
        return self._guards.pids()

    def strangers(self, lent: Collection[int]) -> Collection[int]:
        """See `Stock`: guards end what is below them."""
        return []

    def close(self) -> None:
        """See `Stock`."""
        self._guards.close()
