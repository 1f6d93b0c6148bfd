"""Lends forks of one process, which has loaded a set of packages and starts no run itself.

One fork is made while there is no run, and waits for the next: forking is a part of a render.

That process (`hosts/python_zygote.py`) may be in the hands of its packages: it is asked for forks,
and the kernel says what answers.
"""

import select
import socket
import struct
import time
from collections.abc import Collection
from contextlib import suppress
from typing import Final

from . import ancestry, launch, processes
from .keeping import Keepable
from .stock import LOADING_SECONDS, NotReadyError, Ready, UnfitError, words

FORK: Final = b"fork"
"""Asks for a fork, which answers on the socket that comes with it."""
HERE: Final = b"here"
"""Said by a fork."""
LOADED: Final = b"loaded"
"""Said by the process as soon as it can be forked; anything else is why it cannot."""

_CREDENTIALS: Final = struct.Struct("3i")
_MESSAGE_BYTES: Final = 512
_SECONDS: Final = 2.0
"""How long a fork may take on a machine that is busy."""


class Forked:
    """A `Stock`: one process and, for each run, a fork of it."""

    def __init__(self, what: Keepable) -> None:
        """Start the process. Raises OSError."""
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            command = [*what.command, str(theirs.fileno())]
            self._pid = launch.detached(command, what.env, pass_fds=[theirs.fileno()])
        self._loaded = False
        self._spare: Ready | None = None
        self._end_of_loading = time.monotonic() + LOADING_SECONDS

    def files(self) -> Collection[int]:
        """See `Stock`."""
        return [self._control.fileno()]

    def heard(self) -> None:
        """See `Stock`."""
        try:
            said = self._control.recv(_MESSAGE_BYTES)
        except OSError:
            said = b""
        if said == LOADED:
            self._loaded = True
        elif said or not self._loaded:
            raise UnfitError(words(said) or "loading them ends the process")
        else:
            raise UnfitError

    def take(self) -> Ready:
        """See `Stock`."""
        if not self._loaded:
            if time.monotonic() > self._end_of_loading:
                raise UnfitError(f"loading them takes more than {LOADING_SECONDS:g} s")
            raise NotReadyError
        spare, self._spare = self._spare, None
        if spare and self._still_waits(spare):
            return spare
        return self._fork()

    def prepare(self) -> None:
        """See `Stock`."""
        if self._loaded and self._spare is None:
            with suppress(NotReadyError):
                self._spare = self._fork()

    def _fork(self) -> Ready:
        """A fork, for one run. Raises NotReadyError, UnfitError."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
            ours.settimeout(_SECONDS)
            with theirs:
                socket.send_fds(self._control, [FORK], [theirs.fileno()])
            return Ready(self._forked(ours), ours)
        except BaseException as error:
            ours.close()
            if isinstance(error, OSError):
                raise UnfitError from error
            raise

    def _forked(self, channel: socket.socket) -> int:
        """The fork that says it is there. Raises NotReadyError, UnfitError, and OSError."""
        room = socket.CMSG_SPACE(_CREDENTIALS.size)
        message, told, _, _ = channel.recvmsg(_MESSAGE_BYTES, room)
        if not message:
            raise NotReadyError
        for level, kind, data in told:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_CREDENTIALS):
                pid, _, _ = _CREDENTIALS.unpack(data)
                if message == HERE and ancestry.parent(pid) == self._pid:
                    return int(pid)
        raise UnfitError

    def _still_waits(self, spare: Ready) -> bool:
        """Whether nothing has ended a fork. Its number may be another process's if so."""
        polled = select.poll()
        polled.register(spare.channel, select.POLLIN)
        if polled.poll(0) or ancestry.parent(spare.pid) != self._pid:
            spare.channel.close()
            return False
        return True

    def soon(self) -> int:
        """See `Stock`: a process is ready, or has much to load first."""
        return 0

    def children(self) -> Collection[int]:
        """See `Stock`."""
        return [self._pid]

    def strangers(self, lent: Collection[int]) -> Collection[int]:
        """See `Stock`."""
        if not self._loaded:
            # What loading leaves behind is refused by the process itself.
            return []
        ours = {*lent}
        # With more than what will be the program, it is not as a run finds it.
        if self._spare and len(processes.descendants(self._spare.pid)) <= 1:
            ours.add(self._spare.pid)
        return {*processes.children(self._pid)} - ours

    def close(self) -> None:
        """See `Stock`."""
        if self._spare:
            self._spare.channel.close()
        self._control.close()
