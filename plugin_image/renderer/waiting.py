"""A process that waits for its one run, and the guard that starts it and answers for it.

The process is started when a processor has nothing to do: a priority that was lowered could not be
raised again for the run. From a snapshot (`snapshots.py`) it is started at once, as that takes less
than loading the packages in the next run. Between loading and its run it is stopped, so that
nothing of what its packages have started goes on while nobody renders with them. Its
environment is that of what is kept, and nothing of a run; what a run is about reaches it from the
render itself.

To the guard the process says `ready`, or why its packages cannot wait. On the connection of a run
the render says `start`, with its limits of data, and the guard `started`, with the files that the
process has the other ends of: its input, what it says, what it tells, and its socket. Later
it says `ended <status>`.
"""

import os
import resource
import select
import signal
import socket
import struct
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Final, NoReturn

from . import memory, processes, snapshots
from .keeping import Keepable
from .snapshots import Snapshot
from .stock import LOADING_SECONDS

READY: Final = b"ready"
UNFIT: Final = b"unfit"
START: Final = b"start"
STARTED: Final = b"started"
ENDED: Final = b"ended"
FILES: Final = 4
"""How many files a render gets."""

_LIMITS: Final = struct.Struct("2q")
_MESSAGE_BYTES: Final = 1024
_SECONDS: Final = 2.0
"""How long a render may take to say what it wants, on a machine that is busy."""
_IDLE_SECONDS: Final = 0.2
"""How long a processor must have had nothing to do."""
_PATIENCE_SECONDS: Final = 5.0
"""After which a process is started on a busy machine, too."""
_TICKS: Final = os.sysconf("SC_CLK_TCK")


def limits() -> bytes:
    """What a render says with `start`: its own limits of data."""
    return _LIMITS.pack(*resource.getrlimit(resource.RLIMIT_DATA))


def guard(what: Keepable, channel: socket.socket, seen: str) -> NoReturn:
    """Have one process wait, and be lent to the run whose connection comes by `channel`.

    There it says `ready`, with the state of the snapshot that the process was started from, or
    `unfit` with the reason. `seen` is such a state of before.
    """
    try:
        processes.adopt_orphans()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        if _may_start(what, channel):
            process = _Waiting(what, snapshots.found_or_written(what, seen))
            if process.has_loaded(channel):
                _serve(process, channel)
    finally:
        processes.end_descendants()
        os._exit(0)


def has_room(what: Keepable) -> bool:
    """Whether there is memory for one more."""
    return memory.has_room(memory.container(), what.bytes)


def _may_start(what: Keepable, channel: socket.socket) -> bool:
    """Wait until there is room and time for it; False where nobody wants it any more."""
    end = time.monotonic() + _PATIENCE_SECONDS
    waits = 0.0 if snapshots.is_there(what) else _IDLE_SECONDS
    idle = _idle_seconds()
    while not _readable(channel.fileno(), seconds=waits):
        before, idle = idle, _idle_seconds()
        has_time = idle - before >= waits or time.monotonic() > end
        if has_time and has_room(what):
            return True
        waits = _IDLE_SECONDS
    return False


def _idle_seconds() -> float:
    """For how long all processors together had nothing to do. Source: proc_stat(5)."""
    return int(Path("/proc/stat").read_text().split(maxsplit=5)[4]) / _TICKS


def _readable(*files: int, seconds: float | None = None) -> set[int]:
    polled = select.poll()
    for file in files:
        polled.register(file, select.POLLIN)
    return {file for file, _ in polled.poll(None if seconds is None else seconds * 1000)}


class _Waiting:
    """The process."""

    def __init__(self, what: Keepable, snapshot: Snapshot | None) -> None:
        given, give = os.pipe()
        hear, said = os.pipe()
        told = os.memfd_create("told")
        self._socket, theirs = socket.socketpair()
        self._snapshot = snapshot
        command = [
            *(what.from_snapshot if snapshot else what.command),
            *(str(told), str(theirs.fileno())),
        ]
        self._process = subprocess.Popen(
            command,
            cwd="/",
            env=dict(what.env),
            stdin=given,
            stdout=said,
            stderr=said,
            pass_fds=[told, theirs.fileno()],
            preexec_fn=processes.contain_to_the_end,  # noqa: PLW1509 - this process has one thread
        )
        theirs.close()
        os.close(given)
        os.close(said)
        self._files = [give, hear, told, self._socket.fileno()]
        self.ended = os.pidfd_open(self._process.pid)

    def has_loaded(self, channel: socket.socket) -> bool:
        """Wait until it is ready, and tell so, or why it never will be."""
        waited = [self._socket.fileno(), self.ended, channel.fileno()]
        if self._socket.fileno() not in _readable(*waited, seconds=LOADING_SECONDS):
            return False
        said = self._socket.recv(_MESSAGE_BYTES)
        if not said and self._snapshot:
            snapshots.discard(self._snapshot.path)
            return False
        if said == READY and len(processes.descendants(os.getpid())) > 1:
            said = b"a package starts a process while it is loaded"
        self._process.send_signal(signal.SIGSTOP)
        is_ready = said == READY
        state = self._snapshot.state if self._snapshot else ""
        channel.send(b"%s %s" % ((READY, state.encode()) if is_ready else (UNFIT, said)))
        return is_ready

    def start(self, connection: socket.socket) -> None:
        """Let it go on, for the run of a connection."""
        connection.settimeout(_SECONDS)
        word, _, told = connection.recv(_MESSAGE_BYTES).partition(b" ")
        if word != START:
            raise ConnectionError
        resource.prlimit(self._process.pid, resource.RLIMIT_DATA, _LIMITS.unpack(told))
        self._process.send_signal(signal.SIGCONT)
        socket.send_fds(connection, [STARTED], self._files)
        self._socket.close()
        for file in self._files[:-1]:
            os.close(file)

    def status(self) -> int:
        """How it ended, once it has."""
        return self._process.wait()


def _serve(process: _Waiting, channel: socket.socket) -> None:
    """Serve the one run, to the end of its connection."""
    if process.ended in _readable(process.ended, channel.fileno()):
        return
    _, files, _, _ = socket.recv_fds(channel, _MESSAGE_BYTES, 1)
    channel.close()
    if not files:
        return
    with socket.socket(fileno=files[0]) as connection, suppress(OSError):
        process.start(connection)
        if connection.fileno() not in _readable(connection.fileno(), process.ended):
            connection.send(b"%s %d" % (ENDED, process.status()))
            _readable(connection.fileno())
