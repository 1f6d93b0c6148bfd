"""Lends a process that stays, to one run after another: for what no run can leave anything in.

It is below a guard (`staying.py`).
"""

import time
from typing import Final

from . import staying
from .guards import Guards
from .keeping import Keepable
from .stock import NotReadyError, Ready

_QUEUE: Final = 4
"""How many runs may wait for it."""
_SECONDS: Final = 1.0
"""How long it may be at work until none should: most runs take less than half of that."""


class InTurn(Guards):
    """A `Stock`: one process."""

    def __init__(self, what: Keepable) -> None:
        super().__init__(what, staying.guard)
        self._lent_at = 0.0

    def take(self) -> Ready:
        """See `Stock`."""
        guard = self._ready()
        if guard is None:
            raise NotReadyError
        guard.is_ready = False
        self._lent_at = time.monotonic()
        return Ready(guard.pid, guard.channel, stays=True)

    def soon(self) -> int:
        """See `Stock`."""
        is_there = any(guard.has_loaded for guard in self._guards)
        return _QUEUE if is_there and time.monotonic() - self._lent_at < _SECONDS else 0
