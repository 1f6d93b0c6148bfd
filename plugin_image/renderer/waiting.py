"""A process that waits for its one run, and the guard that starts it and answers for it.

From a snapshot (`snapshots.py`) the process is started at once, as that takes less than loading the
packages (`loading.py`) in the next run. Between loading and its run it is stopped, so that
nothing of what its packages have started goes on while nobody renders with them. Its
environment is that of what is kept, and nothing of a run; what a run is about reaches it from the
render itself.

On the connection of a run the render says `start`, with its limits of data, and the guard
`started`, with the files that the process has the other ends of: its input, what it says, what it
tells, and its socket. Later it says `ended <status>`.
"""

import os
import resource
import signal
import socket
import struct
import subprocess
from contextlib import suppress
from typing import Final, NoReturn

from . import processes, snapshots
from .keeping import Keepable
from .loading import READY, UNFIT, may_start, readable, said_when_loaded
from .snapshots import Snapshot

START: Final = b"start"
STARTED: Final = b"started"
ENDED: Final = b"ended"
FILES: Final = 4
"""How many files a render gets."""

_LIMITS: Final = struct.Struct("2q")
_MESSAGE_BYTES: Final = 1024
_SECONDS: Final = 2.0
"""How long a render may take to say what it wants, on a machine that is busy."""


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
        if may_start(what, channel):
            process = _Waiting(what, snapshots.found_or_written(what, seen))
            if process.has_loaded(channel):
                _serve(process, channel)
    finally:
        processes.end_descendants()
        os._exit(0)


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
        said = said_when_loaded(self._socket, self.ended, channel)
        if not said:
            if said is not None and self._snapshot:
                snapshots.discard(self._snapshot.path)
            return False
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
    if process.ended in readable(process.ended, channel.fileno()):
        return
    _, files, _, _ = socket.recv_fds(channel, _MESSAGE_BYTES, 1)
    channel.close()
    if not files:
        return
    with socket.socket(fileno=files[0]) as connection, suppress(OSError):
        process.start(connection)
        if connection.fileno() not in readable(connection.fileno(), process.ended):
            connection.send(b"%s %d" % (ENDED, process.status()))
            readable(connection.fileno())
