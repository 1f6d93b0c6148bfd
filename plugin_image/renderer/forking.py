"""A process that has loaded what others need, and is forked for each that asks for it.

It is found by a unix socket, and is the only one that serves this socket. It sees nothing of what
is asked: only forks read from connections.
"""

import fcntl
import gc
import os
import select
import signal
import socket
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Final, NamedTuple, NoReturn, Protocol

from . import pages, processes

_IDLE_SECONDS: Final = 600.0
_MESSAGE_BYTES: Final = 64
_REHEARSAL_SECONDS: Final = 10.0
_TICK_SECONDS: Final = 5.0
_TICK_SECONDS_AT_WORK: Final = 0.5
"""How often to look around while forks are there, which may need memory."""


class Others(Protocol):
    """What such a process has below it besides the forks."""

    def files(self) -> Collection[int]:
        """When one of these can be read, `tend` is called."""

    def tend(self, ready: Collection[int]) -> None:
        """Do what is to be done for them; also called when nothing was to be read for a while."""

    def pids(self) -> Collection[int]:
        """Their processes."""


class _Waiting(NamedTuple):
    """A fork that waits for a connection."""

    pid: int
    channel: socket.socket


class _Forks:
    """The forks of this process: those at work, and one that waits.

    That is made while none is at work: to make it, and to get it ready, is a part of its work.
    """

    def __init__(self, others: Others) -> None:
        self._others = others
        self._waiting: _Waiting | None = None
        self.at_work: dict[int, int] = {}
        """Their numbers, and a file each that can be read once the fork has ended."""

    def prepare(self) -> socket.socket | None:
        """Have one wait; in that, where its connection will come."""
        waiting = self._waiting
        if waiting and _is_there(waiting.pid):
            return None
        if waiting:
            waiting.channel.close()
        self._waiting = None
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        pid = fork()
        if pid == 0:
            ours.close()
            return theirs
        theirs.close()
        self._waiting = _Waiting(pid, ours) if pid else None
        return None

    def look(self) -> None:
        """Forget those that have ended, and end what they have left."""
        for pid, end in tuple(self.at_work.items()):
            if not _is_there(pid):
                os.close(end)
                del self.at_work[pid]
        waiting = {self._waiting.pid} if self._waiting else set()
        # What a fork left that was killed has come to this process.
        processes.end_descendants(spared={*self.at_work, *waiting, *self._others.pids()})

    def take(self, connection: socket.socket) -> None:
        """Give a connection to the one that waits; without one, nobody answers."""
        waiting, self._waiting = self._waiting, None
        if waiting:
            with waiting.channel, suppress(OSError):
                self.at_work[waiting.pid] = os.pidfd_open(waiting.pid)
                socket.send_fds(waiting.channel, [b"connection"], [connection.fileno()])


def lock(path: str) -> int | None:
    """The lock of the one process that serves the socket `path`; None where another one does."""
    file = os.open(f"{path}.lock", os.O_RDONLY | os.O_CREAT, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(file)
        return None
    return file


def settle() -> None:
    """Have what this process has loaded where its forks write little to it, and begin sooner."""
    gc.collect()
    gc.freeze()
    pages.gather()


def serve(
    path: str,
    held: int,
    is_stale: Callable[[], bool],
    others: Others,
    get_ready: Callable[[], None],
) -> socket.socket | None:
    """In a fork, where the connection comes that it is for; None in this process, at its end.

    That comes when nobody has asked for a while, or when what was loaded `is_stale`. `held` is the
    lock, which no fork has. A fork that is made before anybody asks does `get_ready`.
    """
    if len(os.listdir("/proc/self/task")) > 1:  # noqa: PTH208
        raise RuntimeError("a thread was started, which no fork would have")
    processes.hide()
    processes.adopt_orphans()
    # No fork is waited for: the kernel reaps them.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    listening = _listening(path)
    forks = _Forks(others)
    last_use = time.monotonic()
    asked = False
    while forks.at_work or time.monotonic() - last_use < _IDLE_SECONDS:
        channel = forks.prepare() if asked or not forks.at_work else None
        if channel:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.close(held)
            listening.close()
            if not asked:
                get_ready()
            return channel
        if asked:
            with listening.accept()[0] as connection:
                forks.take(connection)
        tick = _TICK_SECONDS_AT_WORK if forks.at_work else _TICK_SECONDS
        files = [listening.fileno(), *forks.at_work.values(), *others.files()]
        ready, _, _ = select.select(files, [], [], tick)
        others.tend(ready)
        forks.look()
        asked = listening.fileno() in ready
        if asked:
            if is_stale():
                break
            last_use = time.monotonic()
    os.unlink(path)  # noqa: PTH108
    return None


def _is_there(pid: int) -> bool:
    return os.path.exists(f"/proc/{pid}")  # noqa: PTH110


def rehearsed(act: Callable[[], object]) -> list[pages.Range]:
    """The pages of memory that a fork writes which does this, until it forks or ends.

    Nothing if it takes long. It can be looked into, so there must be no secret yet.
    """
    told = os.memfd_create("pages")
    pid = os.fork()
    if pid == 0:
        os.register_at_fork(before=lambda: _tell_pages(told))
        with suppress(BaseException):
            act()
        _tell_pages(told)
    with suppress(TimeoutError):
        processes.outlast(pid, _REHEARSAL_SECONDS)
    processes.kill([pid])
    os.waitpid(pid, 0)
    with os.fdopen(told, "rb") as file:
        file.seek(0)
        return [pages.Range(*map(int, line.split())) for line in file]


def _tell_pages(told: int) -> NoReturn:
    with suppress(BaseException):
        # Otherwise the system tells nothing about it.
        processes.show()
        lines = (f"{start} {length}\n" for start, length in pages.written())
        os.write(told, "".join(lines).encode())
    os._exit(0)


def awaited(channel: socket.socket) -> socket.socket:
    """In a fork, the connection that comes. Ends the process where none does."""
    with channel:
        _, files, _, _ = socket.recv_fds(channel, _MESSAGE_BYTES, 1)
    if not files:
        os._exit(0)
    return socket.socket(fileno=files[0])


def fork() -> int | None:
    """The number of a fork of this process, 0 in the fork, None where there can be none."""
    try:
        return os.fork()
    except OSError:
        # Too many processes, or too little memory: who asked does without.
        return None


def close_all_but(files: Collection[int]) -> None:
    """Close what this process has open, besides these and the standard files."""
    first = 3
    for file in sorted(files):
        os.closerange(first, file)
        first = file + 1
    os.closerange(first, os.sysconf("SC_OPEN_MAX"))


def _listening(path: str) -> socket.socket:
    folder, name = os.path.split(path)
    # The path of a socket must be short.
    os.chdir(folder)
    if os.path.lexists(name):
        os.unlink(name)  # noqa: PTH108
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listening.bind(name)
    listening.listen(socket.SOMAXCONN)
    return listening
