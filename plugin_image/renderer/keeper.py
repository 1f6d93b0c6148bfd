"""Keeps what has loaded a set of packages, lends it to runs, and ends what is left of them.

A fork of the server, for one set. It alone says what answers for a run, and has it from the kernel,
never from the process. Whatever comes to be below it that was not lent is ended; so is what was
lent, with all that is below, when its render has gone. It ends when the server does, or says so,
as soon as nothing is lent any more, but for what stays: that ends with it.
"""

import os
import select
import signal
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Final, NoReturn

from . import listening, processes, staying
from .forked import Forked
from .in_turn import InTurn
from .keeping import LENT, REFUSED, Keepable
from .stock import NotReadyError, Ready, Stock, UnfitError

KINDS: Final[dict[str, Callable[[Keepable], Stock]]] = {
    "forked": Forked,
    "in turn": partial(InTurn, staying.guard),
    "server in turn": partial(InTurn, listening.guard),
}
"""How processes are lent, by name."""
RETIRE: Final = b"retire"
"""Tells a keeper to lend no more."""
UNFIT: Final = b"unfit"
"""Told by a keeper whose set cannot be kept. Its last word is why, to the render that asks next."""

_MESSAGE_BYTES: Final = 64
_GRACE_SECONDS: Final = 2.0
"""What a process that was lent is given to end by itself."""
_LOOK_SECONDS: Final = 5.0
"""How often to look for what does not belong here while nothing happens."""


@dataclass
class _Lent:
    """A process that was lent."""

    pid: int
    ended: int
    """A file that can be read when it has ended."""
    connection: socket.socket
    """Of the run that it was lent to."""
    due: float | None = None
    """When it will be ended; None while its render is there."""


def keep(what: Keepable, channel: socket.socket, alive: int) -> NoReturn:
    """Be the keeper of one set, asked on `channel` until the other end of `alive` is closed."""
    status = 1
    try:
        processes.hide()
        processes.mark()
        processes.adopt_orphans()
        # What is started inherits what is ignored, and may wait for processes of its own.
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        stock = KINDS[what.kind](what)
        # Whatever ends is reaped by the kernel.
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        _Keeper(stock, channel, alive).serve()
        status = 0
    finally:
        processes.end_descendants()
        os._exit(status)


class _Keeper:
    def __init__(self, stock: Stock, channel: socket.socket, alive: int) -> None:
        self._stock: Stock | None = stock
        self._unfit = ""
        """Why there is no stock, if nobody was told."""
        self._channel = channel
        self._alive = alive
        self._heeded = {channel.fileno(), alive}
        """Of these two, those that have not ended."""
        self._lent: list[_Lent] = []
        self._asked: list[socket.socket] = []
        """Connections of runs for which a process is being started."""

    def serve(self) -> None:
        """Lend until there is nobody to lend to, or nothing, and all that was lent has ended."""
        while self._stock or self._unfit or self._lent:
            ready = self._ready()
            if self._alive in ready:
                self._heeded.discard(self._alive)
                self._retire()
            if self._stock and not ready.isdisjoint(self._stock.files()):
                self._heed(self._stock.heard)
            self._lend_to_those_that_wait()
            if self._channel.fileno() in ready:
                self._hear()
            self._take_back(ready)
            if self._stock and not self._lent:
                self._heed(self._stock.prepare)
            self._end_strangers()

    def _heed(self, asked: Callable[[], None]) -> None:
        """Give up where what the stock is asked for shows that it is of no use any more."""
        try:
            asked()
        except UnfitError as error:
            self._give_up(str(error))

    def _ready(self) -> set[int]:
        """The files at which something has happened; none when it is time to look around."""
        polled = select.poll()
        for file in (*self._heeded, *(self._stock.files() if self._stock else ())):
            polled.register(file, select.POLLIN)
        for lent in self._lent:
            polled.register(lent.ended, select.POLLIN)
            if lent.due is None:
                polled.register(lent.connection, select.POLLRDHUP)
        leaving = any(lent.due is not None for lent in self._lent)
        seconds = _GRACE_SECONDS if leaving else _LOOK_SECONDS
        return {file for file, _ in polled.poll(seconds * 1000)}

    def _hear(self) -> None:
        message, files, _, _ = socket.recv_fds(self._channel, _MESSAGE_BYTES, 1)
        if files:
            self._lend(socket.socket(fileno=files[0]))
            return
        if not message:
            self._heeded.discard(self._channel.fileno())
        self._retire()

    def _lend(self, connection: socket.socket) -> None:
        ready = self._taken()
        if ready is None and len(self._asked) < self._soon():
            self._asked.append(connection)
        else:
            self._answer(connection, ready)

    def _lend_to_those_that_wait(self) -> None:
        """Give them what has come to be ready; where nothing will, they start their own."""
        self._asked = [connection for connection in self._asked if not _is_closed(connection)]
        while self._asked and (ready := self._taken()):
            self._answer(self._asked.pop(0), ready)
        while len(self._asked) > self._soon():
            self._answer(self._asked.pop(), None)

    def _soon(self) -> int:
        return self._stock.soon() if self._stock else 0

    def _answer(self, connection: socket.socket, ready: Ready | None) -> None:
        if ready is None:
            with connection, suppress(OSError):
                connection.send(b"%s %s" % (REFUSED, self._unfit.encode()))
            # It is said once.
            self._unfit = ""
            return
        with suppress(OSError):
            connection.send(b"%s %d" % (LENT, ready.pid))
        if ready.stays:
            with suppress(OSError), connection:
                socket.send_fds(ready.channel, [LENT], [connection.fileno()])
            return
        with suppress(OSError), ready.channel:
            socket.send_fds(ready.channel, [LENT], [connection.fileno()])
            self._lent.append(_Lent(ready.pid, os.pidfd_open(ready.pid), connection))

    def _taken(self) -> Ready | None:
        try:
            return self._stock.take() if self._stock else None
        except NotReadyError:
            return None
        except UnfitError as error:
            self._give_up(str(error))
            return None

    def _take_back(self, ready: set[int]) -> None:
        """Take note of what has ended, and end what should have."""
        for lent in tuple(self._lent):
            if lent.ended in ready:
                # Now the other end can tell, too.
                lent.connection.close()
                os.close(lent.ended)
                self._lent.remove(lent)
            elif lent.due is None:
                if lent.connection.fileno() in ready:
                    lent.due = time.monotonic() + _GRACE_SECONDS
            elif lent.due <= time.monotonic():
                processes.kill(processes.descendants(lent.pid))
                with suppress(ProcessLookupError):
                    signal.pidfd_send_signal(lent.ended, signal.SIGKILL)

    def _end_strangers(self) -> None:
        lent = {process.pid for process in self._lent}
        strangers = {*processes.children(os.getpid())} - lent
        if self._stock:
            strangers -= {*self._stock.children()}
            strangers.update(self._stock.strangers(lent))
        for pid in strangers:
            processes.kill([*processes.descendants(pid, spared=lent), pid])

    def _give_up(self, reason: str) -> None:
        """Lend no more, for a reason, or because it has to be started again."""
        self._retire()
        self._unfit = reason
        if reason:
            with suppress(OSError):
                self._channel.send(UNFIT)

    def _retire(self) -> None:
        """Lend no more."""
        self._unfit = ""
        if self._stock:
            self._stock.close()
            self._stock = None


def _is_closed(connection: socket.socket) -> bool:
    """Whether the other end is."""
    polled = select.poll()
    polled.register(connection, select.POLLRDHUP)
    return bool(polled.poll(0))
