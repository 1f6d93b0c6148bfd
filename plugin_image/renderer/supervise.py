"""Runs a program to its end, or to its deadline, and leaves nothing of it behind."""

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from plugin_image.renderer.errors import DeadlineError

_KEPT_BYTES = 64 * 1024
"""How much of a program's output is kept: its end, which says why it failed."""

_GRACE_SECONDS = 0.5
"""So that programs that run into the deadline are what its error speaks of."""

_PR_SET_CHILD_SUBREAPER = 36


class Deadline:
    """The moment by which a render must have answered, counted from its creation."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = time.monotonic() + seconds

    def remaining(self) -> float:
        """Seconds that are left, none when it has passed."""
        return max(0.0, self._end - time.monotonic())

    def error(self, doing: str) -> DeadlineError:
        """The error for work that was not done in time."""
        return DeadlineError(
            f"the render took longer than {self._seconds:g} s and was stopped while {doing}",
            fix="make the program faster, or raise the plugin's deadline together with "
            "Argo CD's repo-server timeout",
        )

    @contextmanager
    def enforced(self, doing: str) -> Iterator[None]:
        """Interrupt what runs in here, and never looks at the clock. Raises DeadlineError.

        Signals reach the main thread only; elsewhere nothing is interrupted.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def stop(*_: object) -> None:
            raise self.error(doing)

        before = signal.signal(signal.SIGALRM, stop)
        signal.setitimer(signal.ITIMER_REAL, self.remaining() + _GRACE_SECONDS)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)


@dataclass(frozen=True)
class Ended:
    """How a program ended."""

    status: int
    """Exit status; negative for the signal that ended it, as in `subprocess`."""
    output: str
    """The end of what it and its children wrote to stderr, and to stdout unless a file got it."""
    late: DeadlineError | None = None
    """That it was ended by its deadline, if it was."""

    def in_time(self) -> "Ended":
        """Itself. Raises DeadlineError when it was ended by its deadline."""
        if self.late:
            raise self.late
        return self

    def how(self) -> str:
        """The status in words."""
        if self.status < 0:
            return f"was ended by {signal.Signals(-self.status).name}"
        return f"ended with exit status {self.status}"


def run(
    command: Sequence[str | Path],
    *,
    doing: str,
    cwd: Path,
    env: Mapping[str, str],
    deadline: Deadline,
    stdin: Callable[[], bytes] = bytes,
    pass_fds: Sequence[int] = (),
    result: Path | None = None,
) -> Ended:
    """Run `command` to its end and then end whatever it started.

    `stdin` makes its input, while it starts. Its stdout never reaches ours: the file
    `result` gets it whole, or its end is kept together with that of stderr. What does not
    end in time is ended, and late by an error that names `doing`. Raises OSError when it
    cannot be started.
    """
    late = None
    with _started(command, cwd=cwd, env=env, pass_fds=pass_fds, result=result) as process:
        tail = _Tail(process.stderr if result else process.stdout)
        _give(process.stdin, stdin())
        try:
            process.wait(timeout=deadline.remaining())
        except subprocess.TimeoutExpired:
            late = deadline.error(doing)
    return Ended(process.returncode, tail.text(), late)


@dataclass(frozen=True)
class Server:
    """A running server of the Pulumi kind, which says its port first of all."""

    port: int
    output: Callable[[], str]
    """The end of what it has written since."""


@contextmanager
def server(command: Sequence[str | Path], *, cwd: Path, env: Mapping[str, str]) -> Iterator[Server]:
    """Run `command`, which writes its port as its first line; end it and all it started.

    Raises OSError when it cannot be started or says no port.
    """
    with _started(command, cwd=cwd, env=env) as process:
        _give(process.stdin, b"")
        port = process.stdout.readline().strip() if process.stdout else b""
        if not port.isdigit():
            raise OSError(f"{command[0]} did not start: {port.decode(errors='replace')}")
        yield Server(int(port), _Tail(process.stdout).text)


@contextmanager
def _started(
    command: Sequence[str | Path],
    *,
    cwd: Path,
    env: Mapping[str, str],
    pass_fds: Sequence[int] = (),
    result: Path | None = None,
) -> Iterator[subprocess.Popen[bytes]]:
    with result.open("wb") if result else nullcontext() as file:
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env=env,
            stdin=subprocess.PIPE,
            stdout=file or subprocess.PIPE,
            stderr=subprocess.PIPE if file else subprocess.STDOUT,
            pass_fds=pass_fds,
            bufsize=0,
        )
    try:
        _adopt_orphans()
        yield process
    finally:
        process.kill()
        process.wait()
        _end_orphans()


class _Tail:
    """Reads a pipe in the background and keeps its end."""

    def __init__(self, pipe: IO[bytes] | None) -> None:
        self._chunks: deque[bytes] = deque()
        self._kept = 0
        self._thread = threading.Thread(target=self._read, args=(pipe,), daemon=True)
        self._thread.start()

    def _read(self, pipe: IO[bytes]) -> None:
        with pipe:
            while chunk := os.read(pipe.fileno(), 8192):
                self._chunks.append(chunk)
                self._kept += len(chunk)
                while self._kept - len(self._chunks[0]) > _KEPT_BYTES:
                    self._kept -= len(self._chunks.popleft())

    def text(self) -> str:
        """What was kept. A process that escaped with the pipe open is not waited for."""
        self._thread.join(timeout=1)
        return b"".join(tuple(self._chunks)).decode(errors="replace").strip()


def _give(pipe: IO[bytes] | None, data: bytes) -> None:
    """Write a program's whole input; one that ends without reading it is judged by its end."""
    if pipe is not None:
        with suppress(BrokenPipeError), pipe:
            pipe.write(data)


def _adopt_orphans() -> None:
    """Become the parent of descendants whose own parent ends, so that they can be found."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _end_orphans() -> None:
    """Kill and reap every child, and those who become children by that, until none is left."""
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    while children.exists() and (pids := children.read_text().split()):
        for pid in map(int, pids):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)
