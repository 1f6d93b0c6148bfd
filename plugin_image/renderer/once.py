"""Lends processes that wait, each to one run: for what cannot be forked.

As many are ready as runs have been under way at once, if memory allows, and `what.most` does. Each
is below a guard (`waiting.py`).
"""

import os

from . import loading, snapshots, waiting
from .guards import Guards
from .keeping import Keepable
from .stock import NotReadyError, Ready


class Once(Guards):
    """A `Stock`: processes that wait."""

    def __init__(self, what: Keepable) -> None:
        super().__init__(what, waiting.guard)
        self._lent: set[int] = set()

    def take(self) -> Ready:
        """See `Stock`."""
        self._lent = {pid for pid in self._lent if os.path.exists(f"/proc/{pid}")}  # noqa: PTH110
        self._wanted = min(max(self._wanted, len(self._lent) + 1), self._what.most)
        guard = self._ready()
        if guard:
            self._guards.remove(guard)
            self._lent.add(guard.pid)
        self._fill()
        if guard is None:
            raise NotReadyError
        return Ready(guard.pid, guard.channel)

    def soon(self) -> int:
        """See `Stock`: one starts from a snapshot, unless it has to wait for memory."""
        starts = snapshots.is_there(self._what) and loading.has_room(self._what)
        return sum(not guard.is_ready for guard in self._guards) if starts else 0
