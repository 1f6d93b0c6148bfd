"""A process that stays for one run after another, and the guard that starts it and answers for it.

On the connection of a run comes one message, which the guard passes on, and back goes the answer.
When the process has said that it is ready again it is stopped, so that nothing of what its
packages have started goes on while nobody has use for it. Whatever cuts a run short, as the end of
its render or of the process, ends both: another guard starts another process.
"""

import os
import signal
import socket
import subprocess
from contextlib import suppress
from typing import Final, NoReturn

from . import processes
from .keeping import Keepable
from .loading import READY, UNFIT, may_start, readable, said_when_loaded

ASKED_BYTES: Final = 1 << 16
"""How long a message may be."""

_MESSAGE_BYTES: Final = 1024
_SECONDS: Final = 2.0
"""How long a render may take to say what it wants, on a machine that is busy."""


def guard(what: Keepable, channel: socket.socket) -> NoReturn:
    """Have one process answer the runs whose connections come by `channel`.

    There it says `ready` before each, or `unfit` with the reason.
    """
    try:
        processes.adopt_orphans()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        if may_start(what, channel):
            process = _Staying(what)
            if process.has_loaded(channel):
                process.serve(channel)
    finally:
        processes.end_descendants()
        os._exit(0)


class _Staying:
    """The process."""

    def __init__(self, what: Keepable) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [*what.command, str(theirs.fileno())],
                cwd="/",
                env=dict(what.env),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                preexec_fn=processes.contain_to_the_end,  # noqa: PLW1509 - this process has one thread
            )
        self._ended = os.pidfd_open(self._process.pid)

    def has_loaded(self, channel: socket.socket) -> bool:
        """Wait until it is ready, or tell why it never will be."""
        said = said_when_loaded(self._socket, self._ended, channel)
        if said and said != READY:
            channel.send(b"%s %s" % (UNFIT, said))
        return said == READY

    def serve(self, channel: socket.socket) -> None:
        """Serve one run after another, until one is cut short or none will come."""
        is_whole = True
        while is_whole:
            self._process.send_signal(signal.SIGSTOP)
            channel.send(READY)
            if self._ended in readable(self._ended, channel.fileno()):
                return
            _, files, _, _ = socket.recv_fds(channel, _MESSAGE_BYTES, 1)
            if not files:
                return
            with socket.socket(fileno=files[0]) as connection:
                is_whole = self._answer(connection)

    def _answer(self, connection: socket.socket) -> bool:
        """Serve the run of a connection; False where the process may not be as it was."""
        connection.settimeout(_SECONDS)
        asked = b""
        with suppress(OSError):
            asked = connection.recv(ASKED_BYTES)
        if not asked:
            return True
        self._process.send_signal(signal.SIGCONT)
        self._socket.send(asked)
        waited = (connection.fileno(), self._ended, self._socket.fileno())
        if self._socket.fileno() not in readable(*waited):
            return False
        answer = self._socket.recv(_MESSAGE_BYTES)
        with suppress(OSError):
            connection.send(answer)
        return self._socket.recv(_MESSAGE_BYTES) == READY
