"""The guards of a stock: forks of the keeper, each of which starts a process and answers for it."""

import socket
from collections.abc import Callable
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
    """The guards that are there, in the order in which they were started."""

    def __init__(
        self, what: Keepable, guard: Callable[[Keepable, socket.socket, str], NoReturn]
    ) -> None:
        """`guard` is what each does, as `waiting.guard`."""
        self._what = what
        self._guard = guard
        self.all: list[Guard] = []
        self._failures = 0
        self._seen = ""
        """The state of the snapshot from which a process came to be ready."""

    def files(self) -> list[int]:
        """When one of these can be read, `hear` is called."""
        return [guard.channel.fileno() for guard in self.all]

    def pids(self) -> list[int]:
        """Their processes."""
        return [guard.pid for guard in self.all]

    def fill(self, wanted: int) -> None:
        """Start as many as are missing, if the system allows."""
        while len(self.all) < wanted:
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            with theirs:
                pid = forking.fork()
                if pid == 0:
                    forking.close_all_but([theirs.fileno()])
                    self._guard(self._what, theirs, self._seen)
            if pid is None:
                ours.close()
                return
            self.all.append(Guard(pid, ours))

    def hear(self) -> None:
        """Take note of what they say, and of their end. Raises UnfitError."""
        for guard in self.all[:]:
            try:
                said = guard.channel.recv(_MESSAGE_BYTES, socket.MSG_DONTWAIT)
            except BlockingIOError:
                continue
            except OSError:
                said = b""
            self._note(guard, said)

    def close(self) -> None:
        """Ask them for nothing any more."""
        for guard in self.all:
            guard.channel.close()
        self.all.clear()

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
            self.all.remove(guard)
            self._failures += not guard.has_loaded
            if self._failures == _MOST_FAILURES:
                raise UnfitError("loading them ends the process")
