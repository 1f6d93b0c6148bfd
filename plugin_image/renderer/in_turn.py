"""Lends processes that stay, each to one run after another: for what no run can leave anything in.

Each is below a guard: `staying.py`, or `listening.py` for servers. As many are ready as runs have
asked for at once, if memory allows, and `what.most` does.
"""

import socket
import time
from collections.abc import Callable
from typing import Final, NoReturn

from .guards import Guards
from .keeping import Keepable
from .stock import NotReadyError, Ready

_QUEUE: Final = 4
"""How many runs may wait for it."""
_SECONDS: Final = 1.0
"""How long it may be at work until none should: most runs take less than half of that."""


class InTurn(Guards):
    """A `Stock`."""

    def __init__(
        self, guard: Callable[[Keepable, socket.socket, str], NoReturn], what: Keepable
    ) -> None:
        super().__init__(what, guard)
        self._lent_at = 0.0

    def take(self) -> Ready:
        """See `Stock`."""
        guard = self._ready()
        if guard is None:
            if all(guard.has_loaded for guard in self._guards):
                self._wanted = min(self._wanted + 1, self._what.most)
                self._fill()
            raise NotReadyError
        guard.is_ready = False
        self._lent_at = time.monotonic()
        return Ready(guard.pid, guard.channel, stays=True)

    def soon(self) -> int:
        """See `Stock`."""
        is_there = any(guard.has_loaded for guard in self._guards)
        return _QUEUE if is_there and time.monotonic() - self._lent_at < _SECONDS else 0
