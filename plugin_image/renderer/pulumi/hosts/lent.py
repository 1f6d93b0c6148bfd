"""A program in a process that a keeper has lent, whichever way that has become the program's."""

import socket
import sys
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import replace
from typing import Final, Protocol

from ... import launch, processes
from ...keeping import Loan, NotLentError
from ...launch import Process, Start
from ..execution import Execution
from .host import Run

SECONDS: Final = 2.0
"""How long a process that was lent may take to answer, on a machine that is busy."""
_MESSAGE_BYTES: Final = 64
_KILLED: Final = -9
_LEAST: Final = 0.001


class Lender(Protocol):
    """A `Launcher` that has processes lent for the runs of a program."""

    lost: bool
    """Whether a process ended without a word of how: nothing is known of the run then."""

    def __call__(self, start: Start) -> Process:
        """See `Launcher`. Starts a new process where none is to be had."""

    def want(self) -> None:
        """Have a process kept for the next renders, where that is not so already."""


def run_lent(execution: Execution, lender: Lender | None, run: Callable[[Execution], Run]) -> Run:
    """Run by a process that is lent, once more by a new one if it is lost; want it after success.

    Without a `lender`, run by a new one.
    """
    if lender is None:
        return run(execution)
    lender.lost = False
    done = run(replace(execution, launcher=lender))
    if lender.lost:
        done = run(execution)
    if not done.ended.status:
        lender.want()
    return done


class LentProcess:
    """What of a `Process` is alike for all that are lent: `pid`, and its end."""

    def __init__(self, loan: Loan, lose: Callable[[], None]) -> None:
        """`lose` is called where the process ends without a word of how."""
        self.connection, self.pid = loan
        self.connection.settimeout(SECONDS)
        self._lose = lose
        self._status: int | None = None
        self._counted = ExitStack()
        self._counted.enter_context(processes.works_here(self.pid))

    def wait(self, seconds: float | None = None) -> int:
        """See `Process`."""
        if self._status is None:
            # Zero would mean not to wait at all, which fails in another way.
            self.connection.settimeout(seconds if seconds is None else max(seconds, _LEAST))
            word, _, status = self.connection.recv(_MESSAGE_BYTES).partition(b" ")
            if not word:
                self._lose()
            self._status = int(status) if word else _KILLED
        return self._status

    def kill(self) -> None:
        """See `Process`: with all that is below it."""
        if self._status is None:
            self._status = _KILLED
        with self.connection, self._counted, suppress(OSError):
            self.connection.shutdown(socket.SHUT_WR)
            self.connection.settimeout(SECONDS)
            while self.connection.recv(_MESSAGE_BYTES):
                continue


def lent_or_new(lend: Callable[[Start], Process], start: Start) -> Process:
    """What `lend` gives, or a new process; says why, where nothing can be lent ever."""
    try:
        return lend(start)
    except NotLentError as error:
        if reason := str(error):
            sys.stderr.write(
                f"note: the program's packages are loaded again for each render: {reason}\n"
            )
    except OSError:
        # Whoever was to answer has ended, or takes too long.
        pass
    return launch.spawn(start)
