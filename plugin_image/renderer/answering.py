"""The client that a render is for, where it is another process than this one.

It is told how the render ended, and its own end is noticed by a signal. A render tells it by itself
if it can, and the guard above it otherwise: who waits for a process to be gone waits for all of
its memory to be given back, which takes a tenth of a render.
"""

import fcntl
import mmap
import os
import select
import signal
import socket
from typing import Final

HANGING_UP: Final = signal.SIGIO
"""Comes to the process that watches, when the client may have ended."""


class Client:
    """A client, as its connection."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._is_told = mmap.mmap(-1, 1)
        """One byte that this process and its forks share."""

    def watch(self) -> None:
        """Have HANGING_UP come to this process."""
        file = self._connection.fileno()
        fcntl.fcntl(file, fcntl.F_SETOWN, os.getpid())
        flags = fcntl.fcntl(file, fcntl.F_GETFL)
        fcntl.fcntl(file, fcntl.F_SETFL, flags | os.O_ASYNC)

    def has_gone(self) -> bool:
        """Whether nobody waits for the end of the render any more that has not been told of it."""
        polled = select.poll()
        polled.register(self._connection, select.POLLRDHUP)
        return bool(polled.poll(0)) and not self._is_told[0]

    def tell(self, status: int) -> None:
        """Tell the exit status, the last of all, unless somebody has."""
        if self._is_told[0]:
            return
        # First, as the client ends once it knows. Should this process be killed in between, nobody
        # tells it, and the client has the command in Python render.
        self._is_told[0] = True
        try:
            self._connection.send(b"ended %d" % status)
        except OSError:
            # It has ended.
            return


_clients: list[Client] = []


def of_this_process() -> Client | None:
    """The client; None where this process is what was called."""
    return _clients[0] if _clients else None


def answer(connection: socket.socket) -> None:
    """Let this process work for a client."""
    _clients[:] = [Client(connection)]


def tell(status: int) -> None:
    """Tell the client, if there is one, how the render ended."""
    for client in _clients:
        client.tell(status)
