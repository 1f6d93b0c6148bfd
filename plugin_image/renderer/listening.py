"""A server that listens at a port and is lent to one run after another, and the guard that has it.

For servers of the Pulumi kind: they say the port first of all, and find the engine at an address
that they are started with. That is the guard's, which leads each connection on to the engine of
the run at the time. The folder for temporary files is a link, which leads to that of the run. So
nothing of a run stays with the server but what that itself remembers; whoever asks for it takes
care of that (`pulumi.monitor.plugin.process`).

On the connection of a run comes `start`, with its limits of data, the engine's port and the folder,
and back goes the server's port. `end` gives the server back. Whatever cuts a run short ends server
and guard: another guard starts another server.
"""

import os
import resource
import shutil
import signal
import socket
import struct
import subprocess
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final, NoReturn

from . import processes, temporary
from .keeping import Keepable
from .loading import READY, may_start, readable

START: Final = b"start"
END: Final = b"end"

_LIMITS: Final = struct.Struct("2qH")
_MESSAGE_BYTES: Final = 4096
_PIECE_BYTES: Final = 1 << 16
_PORT_BYTES: Final = 64
_LOOPBACK: Final = "127.0.0.1"
_LOADING_SECONDS: Final = 60.0
_SECONDS: Final = 2.0
"""How long the other end of a connection may take, on a machine that is busy."""
_MOST_BYTES: Final = 256 << 20
"""How much memory of its own a server may have to be lent once more."""
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")


def started(limits: tuple[int, int], engine: int, folder: Path) -> bytes:
    """What a render says to have a server: its limits of data, its engine's port, its folder."""
    return b"%s %s%s" % (START, _LIMITS.pack(*limits, engine), os.fsencode(folder))


def guard(what: Keepable, channel: socket.socket) -> NoReturn:
    """Have one server serve the runs whose connections come by `channel`.

    There it says `ready` before each.
    """
    try:
        processes.adopt_orphans()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        if may_start(what, channel):
            _serve(what, channel)
    finally:
        processes.end_descendants()
        os._exit(0)


def _serve(what: Keepable, channel: socket.socket) -> None:
    folder = temporary.folder()
    try:
        server = _Server(what, folder / "run")
        if server.has_started(channel):
            server.serve(channel)
    finally:
        processes.end_descendants()
        shutil.rmtree(folder, ignore_errors=True)


class _Server:
    """The server."""

    def __init__(self, what: Keepable, run: Path) -> None:
        """`run` is where the link is to be that leads to the folder of a run."""
        self._run = run
        self._engine = socket.create_server((_LOOPBACK, 0))
        port = self._engine.getsockname()[1]
        self._process = subprocess.Popen(
            [*what.command, f"{_LOOPBACK}:{port}"],
            cwd="/",
            env={**what.env, "HOME": str(run), "TMPDIR": str(run)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            preexec_fn=processes.contain_to_the_end,  # noqa: PLW1509 - this process has one thread
        )
        self._ended = os.pidfd_open(self._process.pid)
        self._port = b""

    def has_started(self, channel: socket.socket) -> bool:
        """Whether it has said its port; `channel` can be read when nobody wants it any more."""
        assert self._process.stdout  # noqa: S101 - a pipe, as asked for
        said = self._process.stdout.fileno()
        while not self._port.endswith(b"\n"):
            if said not in readable(said, channel.fileno(), seconds=_LOADING_SECONDS):
                return False
            piece = os.read(said, _PORT_BYTES)
            if not piece:
                return False
            self._port += piece
        return self._port.strip().isdigit()

    def serve(self, channel: socket.socket) -> None:
        """Serve one run after another, until one is cut short or none will come."""
        is_as_it_was = True
        while is_as_it_was:
            self._process.send_signal(signal.SIGSTOP)
            channel.send(READY)
            if self._ended in readable(self._ended, channel.fileno()):
                return
            _, files, _, _ = socket.recv_fds(channel, _MESSAGE_BYTES, 1)
            if not files:
                return
            with socket.socket(fileno=files[0]) as connection, ExitStack() as opened:
                is_as_it_was = self._serve_one(connection, opened) and self._is_alone()

    def _serve_one(self, connection: socket.socket, opened: ExitStack) -> bool:
        """Serve the run of a connection; whether the server was given back."""
        connection.settimeout(_SECONDS)
        with suppress(OSError):
            word, _, told = connection.recv(_MESSAGE_BYTES).partition(b" ")
            if word != START:
                return not word
            *limits, engine = _LIMITS.unpack_from(told)
            self._lead_to(Path(os.fsdecode(told[_LIMITS.size :])))
            resource.prlimit(self._process.pid, resource.RLIMIT_DATA, tuple(limits))
            self._process.send_signal(signal.SIGCONT)
            connection.send(self._port.strip())
            self._lead_on(connection, _Bridges(self._engine, engine, opened))
            return connection.recv(_MESSAGE_BYTES) == END
        return False

    def _lead_on(self, connection: socket.socket, bridges: "_Bridges") -> None:
        """Lead what the server opens on to the run's engine, until the run has something to say."""
        own = (connection.fileno(), self._ended)
        while True:
            ready = readable(*own, *bridges.files())
            bridges.carry(ready)
            if not ready.isdisjoint(own):
                return

    def _lead_to(self, folder: Path) -> None:
        """Have the link lead to the folder of a run."""
        self._run.unlink(missing_ok=True)
        self._run.symlink_to(folder)

    def _is_alone(self) -> bool:
        """Whether the server has started nothing that is still there, nor grown too large."""
        pid = self._process.pid
        _, resident, shared, *_ = Path(f"/proc/{pid}/statm").read_text().split()
        own = (int(resident) - int(shared)) * _PAGE
        return processes.descendants(os.getpid()) == [pid] and own < _MOST_BYTES


class _Bridges:
    """The connections that the server opens to its engine, each with one to that of the run."""

    def __init__(self, listener: socket.socket, port: int, opened: ExitStack) -> None:
        self._listener = listener
        self._port = port
        self._opened = opened
        self._other: dict[int, tuple[socket.socket, socket.socket]] = {}
        """By the number of one end: that end, and the one that gets what comes there."""

    def files(self) -> list[int]:
        """When one of these can be read, `carry` is called."""
        return [self._listener.fileno(), *self._other]

    def carry(self, ready: set[int]) -> None:
        """Take what has come to the other side."""
        if self._listener.fileno() in ready:
            self._build()
        for file in ready & self._other.keys():
            if file in self._other:
                self._carry(*self._other[file])

    def _build(self) -> None:
        near, _ = self._listener.accept()
        self._opened.enter_context(near)
        try:
            far = socket.create_connection((_LOOPBACK, self._port), timeout=_SECONDS)
        except OSError:
            near.close()
            return
        self._opened.enter_context(far)
        near.settimeout(_SECONDS)
        self._other[near.fileno()] = near, far
        self._other[far.fileno()] = far, near

    def _carry(self, come: socket.socket, to: socket.socket) -> None:
        with suppress(OSError):
            if piece := come.recv(_PIECE_BYTES):
                to.sendall(piece)
                return
        for end in (come, to):
            del self._other[end.fileno()]
            end.close()
