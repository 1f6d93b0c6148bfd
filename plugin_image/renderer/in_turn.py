"""Lends a process that stays, to one run after another: for what no run can leave anything in.

It is below a guard (`staying.py`).
"""

import time
from collections.abc import Collection
from typing import Final

from . import staying
from .guards import Guards
from .keeping import Keepable
from .stock import NotReadyError, Ready

_QUEUE: Final = 4
"""How many runs may wait for it."""
_SECONDS: Final = 1.0
"""How long it may be at work until none should: most runs take less than half of that."""


class InTurn:
    """A `Stock`: one process."""

    def __init__(self, what: Keepable) -> None:
        self._guards = Guards(what, staying.guard)
        self._guards.fill(1)
        self._lent = 0.0

    def files(self) -> Collection[int]:
        """See `Stock`."""
        return self._guards.files()

    def heard(self) -> None:
        """See `Stock`."""
        self._guards.hear()
        self._guards.fill(1)

    def take(self) -> Ready:
        """See `Stock`."""
        for guard in self._guards.all:
            if guard.is_ready:
                guard.is_ready = False
                self._lent = time.monotonic()
                return Ready(guard.pid, guard.channel, stays=True)
        raise NotReadyError

    def soon(self) -> int:
        """See `Stock`."""
        is_there = any(guard.has_loaded for guard in self._guards.all)
        return _QUEUE if is_there and time.monotonic() - self._lent < _SECONDS else 0

    def children(self) -> Collection[int]:
        """See `Stock`."""
        return self._guards.pids()

    def strangers(self, lent: Collection[int]) -> Collection[int]:
        """See `Stock`: its guard ends what is below it."""
        return []

    def close(self) -> None:
        """See `Stock`."""
        self._guards.close()
