"""How a program is started: the one seam through which the renderer, or a program's monitor, does.

A `Start` says what to run and with what; a `Launcher` starts it and gives the `Process`, whose end
tells how it ended. `spawn` starts a new process. Others fork an interpreter that is warm already
(`pulumi.hosts.zygotes`), or may put more between a program and what it must not reach. All that
they need to know of a program is in its `Start`; one that is made for a render knows that render's
folders besides.
Limits of memory are those of this process, which children inherit.

No launcher waits for a program, or ends one in time: `supervise` does.
"""

import os
import select
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

from . import processes


class StartError(OSError):
    """A program cannot be started, or a server does not report its port; holds name and reason."""


@dataclass(frozen=True)
class Start:
    """A program to start: what, where, and with what. It gets nothing that is not named here."""

    command: Sequence[str | Path]
    cwd: Path
    env: Mapping[str, str]
    pass_fds: Sequence[int] = ()
    """Open files that it inherits, under the same numbers."""
    result: Path | None = None
    """A file for its stdout, which is otherwise said together with its stderr."""
    discard_stderr: bool = False
    """For servers whose log nobody reads."""

    @property
    def name(self) -> str:
        """What messages call the program."""
        return Path(self.command[0]).name


class Process(Protocol):
    """A program that was started."""

    @property
    def pid(self) -> int:
        """Its number; what it starts is below it, see `processes.descendants`."""

    @property
    def stdin(self) -> IO[bytes]:
        """Its input, for its starter to write and to close."""

    @property
    def said(self) -> IO[bytes]:
        """Its stderr, and its stdout unless a file gets it."""

    def wait(self, seconds: float | None = None) -> int:
        """Its exit status, negative for a signal; the same each time it is asked for.

        Raises TimeoutError where it still runs after `seconds`.
        """

    def kill(self) -> None:
        """End it, unless it has ended."""


class Launcher(Protocol):
    """Starts programs, each apart from the others and from this process."""

    def __call__(self, start: Start) -> Process:
        """Start the program. Raises StartError."""


class _Spawned:
    """A process of its own, made for its program."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin  # noqa: S101 - `spawn` asks for it
        said = process.stdout or process.stderr
        assert said  # noqa: S101 - one of the two is a pipe
        self._process = process
        self.pid = process.pid
        self.stdin: IO[bytes] = process.stdin
        self.said: IO[bytes] = said

    def wait(self, seconds: float | None = None) -> int:
        """See `Process`."""
        if seconds is not None and self._process.poll() is None:
            processes.outlast(self.pid, seconds)
        return self._process.wait()

    def kill(self) -> None:
        """See `Process`."""
        self._process.kill()


def spawn(start: Start) -> Process:
    """Start the program in a new process. Raises StartError."""
    stderr = subprocess.PIPE if start.result else subprocess.STDOUT
    try:
        with start.result.open("wb") if start.result else nullcontext() as file:
            return processes.started_apart(
                lambda: _Spawned(
                    subprocess.Popen(
                        start.command,
                        cwd=start.cwd,
                        env=start.env,
                        stdin=subprocess.PIPE,
                        stdout=file or subprocess.PIPE,
                        stderr=subprocess.DEVNULL if start.discard_stderr else stderr,
                        pass_fds=start.pass_fds,
                        bufsize=0,
                    )
                )
            )
    except OSError as error:
        raise StartError(f"{start.name} cannot be started: {error.strerror}") from error


def detached(
    command: Sequence[str | Path], env: Mapping[str, str], *, pass_fds: Sequence[int] = ()
) -> int:
    """Start a program to be forked in a session of its own; gives its number. Raises OSError."""
    return processes.started_apart(
        lambda: (
            subprocess.Popen(
                command,
                cwd="/",
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                pass_fds=pass_fds,
            ).pid
        ),
        to_be_forked=True,
    )


Serving = Callable[[Start], AbstractContextManager[int]]
"""Starts a server and gives its port, as `serving` does."""


@contextmanager
def serving(
    start: Start, *, launcher: Launcher = spawn, remaining: Callable[[], float] | None = None
) -> Iterator[int]:
    """The port of a server that runs as long as this context; what it starts is not looked for.

    Raises StartError when it cannot be started, or says no port in the `remaining` seconds.
    """
    process = launcher(start)
    with process.stdin, process.said:
        try:
            yield port_of(process, start, remaining and remaining())
        finally:
            process.kill()
            process.wait()


def port_of(process: Process, start: Start, seconds: float | None = None) -> int:
    """The port that a server of the Pulumi kind says first of all, in a line of its own.

    Raises StartError with what it said instead, also when it says nothing within `seconds`.
    """
    process.stdin.close()
    line = _first_line(process.said.fileno(), seconds).strip()
    if line.isdigit():
        return int(line)
    raise StartError(
        f"{start.name} did not start: {line.decode(errors='replace') or 'it said nothing'}"
    )


def _first_line(file: int, seconds: float | None) -> bytes:
    """The line, or what there is of it at the end of the file; nothing of one that takes longer."""
    end = None if seconds is None else time.monotonic() + seconds
    ready = select.poll()
    ready.register(file)
    line = b""
    while not line.endswith(b"\n"):
        left = None if end is None else max(0.0, end - time.monotonic()) * 1000
        if not ready.poll(left):
            return b""
        # One at a time: what comes after the line is for others to read.
        read = os.read(file, 1)
        if not read:
            break
        line += read
    return line
