"""Lends processes that stay, each to one run after another: for what no run can leave anything in.

Each is below a guard, a fork of the keeper and our own code, which starts the process and answers
for it: `staying.py`, or `listening.py` for servers. As many are ready as runs have asked for at
once, if memory allows, and `what.most` does.
"""

import socket
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Final, NoReturn

from . import forking, loading
from .keeping import Keepable
from .stock import NotReadyError, Ready, UnfitError, words

_MESSAGE_BYTES: Final = 1024
_MOST_FAILURES: Final = 3
_QUEUE: Final = 4
"""How many runs may wait for it."""
_SECONDS: Final = 1.0
"""How long it may be at work until none should: most runs take less than half of that."""


@dataclass
class _Guard:
    """One guard, as the keeper knows it."""

    pid: int
    channel: socket.socket
    has_loaded: bool = False
    """Whether its process was ready once."""
    is_ready: bool = False
    """Whether it can be lent."""


class InTurn:
    """A `Stock`."""

    def __init__(
        self, guard: Callable[[Keepable, socket.socket], NoReturn], what: Keepable
    ) -> None:
        """`guard` is what each guard does; there is one at first."""
        self._what = what
        self._guard = guard
        self._guards: list[_Guard] = []
        """In the order in which they were started."""
        self._wanted = 1
        """How many there should be."""
        self._failures = 0
        self._lent_at = 0.0
        self._fill()

    def files(self) -> Collection[int]:
        """See `Stock`."""
        return [guard.channel.fileno() for guard in self._guards]

    def heard(self) -> None:
        """See `Stock`."""
        for guard in self._guards[:]:
            try:
                said = guard.channel.recv(_MESSAGE_BYTES, socket.MSG_DONTWAIT)
            except BlockingIOError:
                continue
            except OSError:
                said = b""
            self._note(guard, said)
        self._fill()

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

    def prepare(self) -> None:
        """See `Stock`: guards do without being asked."""

    def soon(self) -> int:
        """See `Stock`."""
        is_there = any(guard.has_loaded for guard in self._guards)
        return _QUEUE if is_there and time.monotonic() - self._lent_at < _SECONDS else 0

    def children(self) -> Collection[int]:
        """See `Stock`."""
        return [guard.pid for guard in self._guards]

    def strangers(self, lent: Collection[int]) -> Collection[int]:
        """See `Stock`: guards end what is below them."""
        return []

    def close(self) -> None:
        """See `Stock`."""
        for guard in self._guards:
            guard.channel.close()
        self._guards.clear()

    def _ready(self) -> _Guard | None:
        """The first one whose process can be lent."""
        return next((guard for guard in self._guards if guard.is_ready), None)

    def _fill(self) -> None:
        """Start as many as are missing, if the system allows."""
        while len(self._guards) < self._wanted:
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            with theirs:
                pid = forking.fork()
                if pid == 0:
                    forking.close_all_but([theirs.fileno()])
                    self._guard(self._what, theirs)
            if pid is None:
                ours.close()
                return
            self._guards.append(_Guard(pid, ours))

    def _note(self, guard: _Guard, said: bytes) -> None:
        """Heed what a guard said, or its end. Raises UnfitError."""
        word, _, told = said.partition(b" ")
        if word == loading.READY:
            guard.has_loaded = guard.is_ready = True
            self._failures = 0
        elif word:
            raise UnfitError(words(told))
        else:
            guard.channel.close()
            self._guards.remove(guard)
            self._failures += not guard.has_loaded
            if self._failures == _MOST_FAILURES:
                raise UnfitError("loading them ends the process")
