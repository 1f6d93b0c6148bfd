"""A provider that the server keeps, lent to one run after another.

To start one takes as long as all the rest of a chart. What is asked of it has to say all that
it depends on (`self_contained`), and it is configured anew for each run, which leaves nothing of
the last: it then makes itself another client of another cluster, and remembers no kinds. Source:
pulumi-kubernetes `provider/pkg/provider/provider.go`, Configure.

The monitor of a Python program is in the program's process, which can ask the render for one, and
no more than that.
"""

import os
import threading
from collections.abc import Callable
from typing import Final, Protocol

ASK: Final = b"lend"
"""Asks the render, before the engine's port."""
GIVE_BACK: Final = b"back"
LET_GO: Final = b"gone"
_MESSAGE_BYTES: Final = 64


class Lease(Protocol):
    """A provider that is lent."""

    @property
    def port(self) -> int:
        """Where it listens."""

    def close(self, *, is_as_it_was: bool) -> None:
        """Give it back for the next run, or have it end."""


Lend = Callable[[int], Lease | None]
"""Has one lent whose engine is at a port of this machine; None where there is none to be had."""


def nothing(_engine: int) -> None:
    """Lend nothing, for where no server keeps any."""


class _OfTheRender:
    """What a program's process has: see `Lease`."""

    def __init__(self, file: int, port: int) -> None:
        self._file = file
        self.port = port

    def close(self, *, is_as_it_was: bool) -> None:
        """See `Lease`."""
        os.write(self._file, GIVE_BACK if is_as_it_was else LET_GO)


def asking(file: int) -> Lend:
    """Have them lent by the render, which answers at a socket with this number; one at a time."""
    os.set_inheritable(file, False)
    lock = threading.Lock()

    def lend(engine: int) -> Lease | None:
        with lock:
            os.write(file, b"%s %d" % (ASK, engine))
            answer = os.read(file, _MESSAGE_BYTES)
        return _OfTheRender(file, int(answer)) if answer.isdigit() else None

    return lend
