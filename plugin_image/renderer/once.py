"""Lends processes that wait, each to one run: for what cannot be forked.

As many are ready as runs have been under way at once, if memory allows, and `what.most` does. Each
is below a guard (`waiting.py`), a fork of the keeper and our own code, which starts it and answers
for it.
"""

import os
import socket
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from . import forking, snapshots, waiting
from .keeping import Keepable
from .stock import NotReadyError, Ready, UnfitError, words

_MESSAGE_BYTES: Final = 1024
_MOST_FAILURES: Final = 3


@dataclass
class _Guard:
    pid: int
    channel: socket.socket
    is_ready: bool = False


class Once:
    """A `Stock`: processes that wait."""

    def __init__(self, what: Keepable) -> None:
        self._what = what
        self._guards: list[_Guard] = []
        self._lent: set[int] = set()
        self._wanted = 1
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

    def take(self) -> Ready:
        """See `Stock`."""
        self._lent = {pid for pid in self._lent if os.path.exists(f"/proc/{pid}")}  # noqa: PTH110
        self._wanted = min(max(self._wanted, len(self._lent) + 1), self._what.most)
        guard = next((guard for guard in self._guards if guard.is_ready), None)
        if guard:
            self._guards.remove(guard)
            self._lent.add(guard.pid)
        self._fill()
        if guard is None:
            raise NotReadyError
        return Ready(guard.pid, guard.channel)

    def soon(self) -> int:
        """See `Stock`: one starts from a snapshot, unless it has to wait for memory."""
        starts = snapshots.is_there(self._what) and waiting.has_room(self._what)
        return sum(not guard.is_ready for guard in self._guards) if starts else 0

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

    def _note(self, guard: _Guard, said: bytes) -> None:
        """Heed what a guard said, or its end. Raises UnfitError."""
        word, _, told = said.partition(b" ")
        if word == waiting.READY:
            guard.is_ready = True
            self._failures = 0
            self._seen = told.decode()
        elif word:
            raise UnfitError(words(told))
        else:
            guard.channel.close()
            self._guards.remove(guard)
            self._failures += not guard.is_ready
            if self._failures == _MOST_FAILURES:
                raise UnfitError("loading them ends the process")

    def _fill(self) -> None:
        while len(self._guards) < self._wanted:
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            with theirs:
                pid = forking.fork()
                if pid == 0:
                    forking.close_all_but([theirs.fileno()])
                    waiting.guard(self._what, theirs, self._seen)
            if pid is None:
                ours.close()
                return
            self._guards.append(_Guard(pid, ours))
