"""Processes that have loaded a set of packages: forks of them in place of new ones, for programs.

What has loaded an SDK (`python_zygote.py`, `nodejs_zygote.js`) serves all renders of programs with
the same packages (`keeping.py`). It is wanted by the first of them, at its end. Where it is not
there, cannot serve a program, or dies, a new process is started as if there were no such thing.
"""

import json
import os
import resource
import socket
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

from ... import launch
from ...keeping import Keepable, Kept, NotLentError
from ...launch import Process, Start
from ..execution import Execution
from .lent import LentProcess, lent_or_new

_PYTHON: Final = Path(__file__).with_name("python_zygote.py")
_SURROUNDINGS: Final = ("LANG", "LANGUAGE", "LC_", "PYTHON", "GRPC_", "PROTOCOL_BUFFERS_", "PATH")
"""How variables begin that an interpreter, or what it loads, reads when it starts.

They are those of the plugin's container: Argo CD gives an Application's other names.
"""
_NO_HOME: Final = "/nonexistent"
_MESSAGE_BYTES: Final = 64


@dataclass
class Zygotes:
    """A `Lender`: forks of the zygote of a set of packages, for the runs of programs with them."""

    kept: Kept
    keepable: Callable[[Start], Keepable | None]
    """The zygote for what is started; None for what is no run of a program."""
    lost: bool = field(default=False, init=False)
    """See `Lender`."""
    _wanted: Keepable | None = field(default=None, init=False)

    def __call__(self, start: Start) -> Process:
        """See `Lender`."""
        what = self.keepable(start)
        if what is None:
            return launch.spawn(start)
        self._wanted = what
        return lent_or_new(lambda start: _Fork(self, what, start), start)

    def want(self) -> None:
        """See `Lender`."""
        if self._wanted:
            self.kept.want(self._wanted)


class _Fork(LentProcess):
    """A program in a fork of a zygote."""

    def __init__(self, zygotes: Zygotes, what: Keepable, start: Start) -> None:
        """Raises OSError and NotLentError."""

        def lose() -> None:
            zygotes.lost = True

        super().__init__(zygotes.kept.lend(what), lose)
        try:
            self.stdin, self.said = self._started(start)
        except BaseException:
            self.kill()
            raise

    def _started(self, start: Start) -> tuple[IO[bytes], IO[bytes]]:
        with ExitStack() as theirs:
            given, give = os.pipe()
            theirs.callback(os.close, given)
            hear, said = os.pipe()
            theirs.callback(os.close, said)
            asked = {
                "cwd": str(start.cwd),
                "env": dict(start.env),
                "arguments": [str(word) for word in start.command[2:]],
                "data_limit": resource.getrlimit(resource.RLIMIT_DATA),
                "files": [0, 1, *start.pass_fds],
            }
            payload = os.memfd_create("start")
            theirs.callback(os.close, payload)
            os.write(payload, json.dumps(asked).encode())
            socket.send_fds(self.connection, [b"start"], [payload, given, said, *start.pass_fds])
            if self.connection.recv(_MESSAGE_BYTES) != b"started":
                os.close(give)
                os.close(hear)
                raise NotLentError
            return os.fdopen(give, "wb", 0), os.fdopen(hear, "rb", 0)


def of_python(execution: Execution, interpreter: Path) -> Zygotes | None:
    """The warm interpreter that a run may use, whether it is there or not."""
    if execution.kept is None:
        return None
    env = {key: value for key, value in execution.env.items() if key.startswith(_SURROUNDINGS)}
    is_brought = interpreter != Path(sys.executable)
    what = Keepable(
        kind="forked",
        command=(str(interpreter), str(_PYTHON)),
        # Nothing is there that packages could find in a home.
        env={**env, "HOME": _NO_HOME},
        packages=str(interpreter.parent.parent) if is_brought else sys.prefix,
        is_brought=is_brought,
    )
    return Zygotes(
        execution.kept, lambda start: what if str(start.command[0]) == str(interpreter) else None
    )
