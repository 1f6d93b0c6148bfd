"""The client that a render is for, where it is another process than this one.

It is told how the render ended, and its own end is noticed by a signal.
"""

import fcntl
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

    def watch(self) -> None:
        """Have HANGING_UP come to this process."""
        file = self._connection.fileno()
        fcntl.fcntl(file, fcntl.F_SETOWN, os.getpid())
        flags = fcntl.fcntl(file, fcntl.F_GETFL)
        fcntl.fcntl(file, fcntl.F_SETFL, flags | os.O_ASYNC)

    def has_ended(self) -> bool:
        """Whether nobody is there any more."""
        polled = select.poll()
        polled.register(self._connection, select.POLLRDHUP)
        return bool(polled.poll(0))

    def tell(self, status: int) -> None:
        """Tell the exit status, the last of all."""
        try:
            self._connection.send(b"ended %d" % status)
        except OSError:
            # It has ended.
            return

    def leave(self) -> None:
        """Be no longer the one to tell it."""
        self._connection.close()


_clients: list[Client] = []


def of_this_process() -> Client | None:
    """The client; None where this process is what was called."""
    return _clients[0] if _clients else None


def answer(connection: socket.socket) -> None:
    """Let this process work for a client."""
    _clients[:] = [Client(connection)]


def leave() -> None:
    """Leave it to this process's parent to answer."""
    for client in _clients:
        client.leave()
    _clients.clear()


def tell(status: int) -> None:
    """Tell the client, if it is up to this process, how the render ended."""
    for client in _clients:
        client.tell(status)
