"""Interpreters that are warm: forks of them in place of new ones, for programs in Python.

An interpreter that has loaded an SDK (`python_zygote.py`) serves all renders of programs with the
same packages (`keeping.py`). It is wanted by the first of them, at its end. Where it is not there,
cannot serve a program, or dies, a new interpreter is started as if there were no such thing.
"""

import json
import os
import resource
import socket
import sys
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

from ... import launch
from ...keeping import Keepable, Kept, NotLentError
from ...launch import Process, Start
from ..execution import Execution
from .lent import LentProcess, lent_or_new

_ZYGOTE: Final = Path(__file__).with_name("python_zygote.py")
_SURROUNDINGS: Final = ("LANG", "LANGUAGE", "LC_", "PYTHON", "GRPC_", "PROTOCOL_BUFFERS_", "PATH")
"""How variables begin that an interpreter, or what it loads, reads when it starts.

They are those of the plugin's container: Argo CD gives an Application's other names.
"""
_NO_HOME: Final = "/nonexistent"
_MESSAGE_BYTES: Final = 64


@dataclass
class Zygote:
    """The warm interpreter for one interpreter and the variables that it starts with.

    A `Lender`, for the runs of programs in it.
    """

    kept: Kept
    what: Keepable
    lost: bool = field(default=False, init=False)
    """See `Lender`."""

    def __call__(self, start: Start) -> Process:
        """See `Lender`."""
        if str(start.command[0]) != self.what.command[0]:
            return launch.spawn(start)
        return lent_or_new(lambda start: _Fork(self, start), start)

    def want(self) -> None:
        """See `Lender`."""
        self.kept.want(self.what)


class _Fork(LentProcess):
    """A program in a fork of a zygote."""

    def __init__(self, zygote: Zygote, start: Start) -> None:
        """Raises OSError and NotLentError."""

        def lose() -> None:
            zygote.lost = True

        super().__init__(zygote.kept.lend(zygote.what), lose)
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


def of(execution: Execution, interpreter: Path) -> Zygote | None:
    """The warm interpreter that a run may use, whether it is there or not."""
    if execution.kept is None:
        return None
    env = {key: value for key, value in execution.env.items() if key.startswith(_SURROUNDINGS)}
    is_brought = interpreter != Path(sys.executable)
    what = Keepable(
        kind="forked",
        command=(str(interpreter), str(_ZYGOTE)),
        # Nothing is there that packages could find in a home.
        env={**env, "HOME": _NO_HOME},
        packages=str(interpreter.parent.parent) if is_brought else sys.prefix,
        is_brought=is_brought,
    )
    return Zygote(execution.kept, what)
