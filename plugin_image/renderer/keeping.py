"""What a render knows of the processes that the server keeps for renders.

Loading a program's packages takes longer than running it, so processes that have loaded them are
kept for the next run. What a package does when it is loaded is the choice of whoever writes to
Git, and such a process outlives its render. It is contained, and nobody trusts it:

- Each set of packages has a keeper (`keeper.py`), a fork of the server that runs nothing but the
  renderer's code. What is kept is below it, has the surroundings of the plugin alone for its
  environment, and is never given what a run is about: that reaches only what answers for the run.
- Renders, keepers and the server speak over sockets that they inherit and that have no path. So
  no process can take the place of what is kept; and what is kept can take nobody's place, for it
  bears a mark that lasts (`processes.contain`).
- Whatever is kept serves one set of packages, as the cache tells sets apart by their content.
  Renders share it only where they would have run the very same code of these packages anyway.
- A process that serves one run after another reads what is in the repositories of all of them, and
  runs nothing of that.
- What a run starts ends with its connection, and the keeper sees to it.

Source: unix(7), for what is inherited, passed on and told of the other side.
"""

import hashlib
import json
import os
import socket
from collections.abc import Mapping
from typing import Final, NamedTuple

LEND: Final = b"lend"
"""Asks a keeper for what answers on the connection that comes with it: the server, for a render."""
LENT: Final = b"lent"
"""Says, before its number, what process answers; to the process, that the connection is its own."""
REFUSED: Final = b"refused"
"""Says that nothing is to be had; before a text, that there never will be, and why."""

_MESSAGE_BYTES: Final = 1024
SECONDS: Final = 2.0
"""How long the server and a keeper may take on a machine that is busy."""


class Keepable(NamedTuple):
    """What can be kept for one set of packages, and how it is started."""

    kind: str
    """How it is lent: one of `keeper.KINDS`."""
    command: tuple[str, ...]
    """The number of a socket for its keeper comes last."""
    env: Mapping[str, str]
    """All of its environment: surroundings of the plugin, nothing that an Application can set."""
    packages: str
    """The folder of the set, which another set may replace."""
    is_brought: bool
    """Whether a program brings the packages, so that they must be contained."""
    most: int = 1
    """For what is lent in turn: how many there are at most, however many runs come at once."""
    bytes: int = 0
    """What it takes of the memory while it is started, where that is much."""
    bytes_in_the_end: int = 0
    """What it comes to take, where it is wanted only if nothing else has to make room for it."""

    @property
    def key(self) -> str:
        """What tells it from others."""
        identity: tuple[int, ...] = ()
        try:
            found = os.stat(self.packages)  # noqa: PTH116
            # The number alone may be that of the one that was in its place.
            identity = (found.st_dev, found.st_ino, found.st_mtime_ns)
        except OSError:
            # It is gone, and nothing that was kept for it counts.
            pass
        told = [self.kind, self.command, sorted(self.env.items()), self.packages, identity]
        return hashlib.sha256(json.dumps(told).encode()).hexdigest()


class Loan(NamedTuple):
    """A process that is lent to a run."""

    connection: socket.socket
    """Where it answers. The end of this connection is the end of all that the run has started."""
    pid: int
    """Its number, as the kernel told it to the keeper; what the run starts is below it."""


class NotLentError(Exception):
    """Nothing is to be had; says why where that stays so."""


class Kept:
    """What a render has of the server that it was forked from."""

    def __init__(self, asks: socket.socket, sealing_key: bytes) -> None:
        """`asks` is where the server hears, which knows what is kept at that moment.

        `sealing_key` is known to the renders of one server, and to no program. With it they seal
        what they leave for each other where programs can write, too.
        """
        self._asks = asks
        self.sealing_key = sealing_key

    def lend(self, what: Keepable) -> Loan:
        """What is kept for one run. Raises NotLentError, and OSError."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            with theirs:
                socket.send_fds(self._asks, [what.key.encode()], [theirs.fileno()])
            ours.settimeout(SECONDS)
            return Loan(ours, _lent(ours.recv(_MESSAGE_BYTES)))
        except BaseException:
            ours.close()
            raise

    def want(self, what: Keepable) -> None:
        """Say that the next render may have use for it."""
        try:
            self._asks.send(json.dumps(what).encode(), socket.MSG_DONTWAIT)
        except OSError:
            # The server has ended, or is asked too much: a later render takes care of it.
            return


def _lent(answer: bytes) -> int:
    word, _, told = answer.partition(b" ")
    if word != LENT:
        raise NotLentError(told.decode())
    return int(told)


_kept: list[Kept] = []


def begin(kept: Kept) -> None:
    """Let this process, a fork of the server, use what is kept."""
    _kept[:] = [kept]


def of_this_process() -> Kept | None:
    """What is kept; None where this process is not a fork of a server."""
    return _kept[0] if _kept else None
