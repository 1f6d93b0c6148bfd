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
from typing import Final, Protocol

from . import pages, processes

_IDLE_SECONDS: Final = 600.0
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


def lock(path: str) -> int | None:
    """The lock of the one process that serves the socket `path`; None where another one does."""
    file = os.open(f"{path}.lock", os.O_RDONLY | os.O_CREAT, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(file)
        return None
    return file


def serve(
    path: str, held: int, is_stale: Callable[[], bool], others: Others
) -> socket.socket | None:
    """In a fork, the connection that it is for; None in this process, at its end.

    That comes when nobody has asked for a while, or when what was loaded `is_stale`. `held` is the
    lock, which no fork has.
    """
    if len(os.listdir("/proc/self/task")) > 1:  # noqa: PTH208
        raise RuntimeError("a thread was started, which no fork would have")
    processes.hide()
    processes.adopt_orphans()
    gc.collect()
    gc.freeze()
    pages.gather()
    # No fork is waited for: the kernel reaps them.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    listening = _listening(path)
    forks: set[int] = set()
    last_use = time.monotonic()
    while forks or time.monotonic() - last_use < _IDLE_SECONDS:
        tick = _TICK_SECONDS_AT_WORK if forks else _TICK_SECONDS
        ready, _, _ = select.select([listening.fileno(), *others.files()], [], [], tick)
        others.tend(ready)
        forks = {pid for pid in forks if os.path.exists(f"/proc/{pid}")}  # noqa: PTH110
        # What a fork left that was killed has come to this process.
        processes.end_descendants(spared={*forks, *others.pids()})
        if listening.fileno() not in ready:
            continue
        if is_stale():
            break
        connection, _ = listening.accept()
        last_use = time.monotonic()
        pid = fork()
        if pid == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.close(held)
            listening.close()
            return connection
        connection.close()
        forks |= {pid} if pid else set()
    os.unlink(path)  # noqa: PTH108
    return None


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
