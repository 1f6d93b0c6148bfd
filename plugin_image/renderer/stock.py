"""What a keeper lends from; each kind of process that can be kept has a module of its own."""

import socket
from collections.abc import Collection
from typing import Final, NamedTuple, Protocol

LOADING_SECONDS: Final = 600.0
"""How long loading a set of packages may take on a machine that is busy. Nobody waits for it."""


class NotReadyError(Exception):
    """Nothing can be lent just now."""


class UnfitError(Exception):
    """The stock is of no use any more.

    Says why where the set of packages cannot be kept, for whoever wrote the program; nothing where
    it can be started again.
    """


class Ready(NamedTuple):
    """A process that is ready for a run: it answers on the connection that it is passed here."""

    pid: int
    channel: socket.socket
    stays: bool = False
    """Whether it sees to the end of the run itself, and is there for the next one."""


class Stock(Protocol):
    """The processes that are ready for a run, or from which those are made."""

    def files(self) -> Collection[int]:
        """When one of these can be read, `heard` is called."""

    def heard(self) -> None:
        """Take note of what its processes say. Raises UnfitError."""

    def take(self) -> Ready:
        """A process for one run, known by the kernel. Raises NotReadyError, and UnfitError."""

    def prepare(self) -> None:
        """Make ready what can be, while there is no run. Raises UnfitError."""

    def soon(self) -> int:
        """How many more will be ready in less time than it takes to start a process anew."""

    def children(self) -> Collection[int]:
        """The keeper's children that belong to it."""

    def strangers(self, lent: Collection[int]) -> Collection[int]:
        """What is below these children, and belongs neither to them nor to what is `lent`."""

    def close(self) -> None:
        """Ask its processes for nothing any more; the keeper ends them."""


def words(said: bytes) -> str:
    """What a process says of itself, in one line: the words may be those of the packages."""
    return "".join(filter(str.isprintable, said.decode(errors="replace")))
