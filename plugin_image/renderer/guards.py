"""What stocks have in common whose processes have guards.

A guard is a fork of the keeper, and our own code: it starts one process and answers for it.
"""

import socket
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Final, NoReturn

from . import forking, loading
from .keeping import Keepable
from .stock import UnfitError, words

_MESSAGE_BYTES: Final = 1024
_MOST_FAILURES: Final = 3


@dataclass
class Guard:
    """One guard, as the keeper knows it."""

    pid: int
    channel: socket.socket
    has_loaded: bool = False
    """Whether its process was ready once."""
    is_ready: bool = False
    """Whether it can be lent."""


class Guards:
    """The part of a `Stock` that starts guards and hears them."""

    def __init__(
        self, what: Keepable, guard: Callable[[Keepable, socket.socket, str], NoReturn]
    ) -> None:
        """`guard` is what each does, as `waiting.guard`; there is one at first."""
        self._what = what
        self._guard = guard
        self._guards: list[Guard] = []
        """In the order in which they were started."""
        self._wanted = 1
        """How many there should be."""
        self._failures = 0
        self._seen = ""
        """The state of the snapshot from which a process came to be ready."""
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

    def prepare(self) -> None:
        """See `Stock`: guards do without being asked."""

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

    def _ready(self) -> Guard | None:
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
                    self._guard(self._what, theirs, self._seen)
            if pid is None:
                ours.close()
                return
            self._guards.append(Guard(pid, ours))

    def _note(self, guard: Guard, said: bytes) -> None:
        """Heed what a guard said, or its end. Raises UnfitError."""
        word, _, told = said.partition(b" ")
        if word == loading.READY:
            guard.has_loaded = guard.is_ready = True
            self._failures = 0
            self._seen = told.decode()
        elif word:
            raise UnfitError(words(told))
        else:
            guard.channel.close()
            self._guards.remove(guard)
            self._failures += not guard.has_loaded
            if self._failures == _MOST_FAILURES:
                raise UnfitError("loading them ends the process")
