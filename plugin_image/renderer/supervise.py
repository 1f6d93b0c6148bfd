"""Runs a program to its end, or to its deadline, and leaves nothing of it behind."""

import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from . import launch, processes
from .errors import DeadlineError, ProgramError
from .launch import Launcher, Process, Start, StartError
from .plain import CUT

_KEPT_BYTES = 64 * 1024
"""How much of a program's output is kept: its end, which says why it failed."""

_POLL_SECONDS = 0.02

_GRACE_SECONDS = 0.5
"""So that programs that run into the deadline are what its error speaks of."""


_CANNOT_START = 126

_FASTER = (
    "make the program faster, or raise the plugin's deadline together with Argo CD's repo-server "
    "timeout"
)


_running: set[int] = set()
"""What was started here and has not ended. The last of them takes with it whatever got away."""
_before: list[int] = []
"""What was below this process when the first of them was started: no program of a render."""
_changing = threading.Lock()
"""Held while these change; programs are started and ended in several threads."""


class Deadline:
    """The moment by which a render must have answered, counted from its creation."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        """All the time that the render has."""
        self._end = time.monotonic() + seconds

    def remaining(self) -> float:
        """Seconds that are left, 0 when it has passed."""
        return max(0.0, self._end - time.monotonic())

    def error(self, doing: str, fix: str = _FASTER) -> DeadlineError:
        """The error for work that was not done in time."""
        return DeadlineError(
            f"the render took longer than {self.seconds:g} s and was stopped while {doing}", fix=fix
        )

    @contextmanager
    def enforced(self, doing: str, fix: str = _FASTER) -> Iterator[None]:
        """Interrupt what runs in here, and never looks at the clock. Raises DeadlineError.

        `fix` is what its message advises. Not for use within itself, as there is one timer.
        Signals reach the main thread only; elsewhere nothing is interrupted.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def stop(*_: object) -> None:
            raise self.error(doing, fix)

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
    """Exit status; negative for the signal that ended it, as in `Process.wait`."""
    output: str
    """The end of what it and its children wrote to stderr, and to stdout unless a file got it."""
    late: DeadlineError | None = None
    """That it was ended by its deadline, if it was."""
    survivors: Collection[int] = ()
    """Processes of the same executable that it started and that outlived it."""

    def in_time(self) -> "Ended":
        """Itself. Raises DeadlineError when it was ended by its deadline."""
        if self.late:
            raise self.late
        return self

    def how(self) -> str:
        """The status in words."""
        if self.status < 0:
            return f"was ended by {processes.signal_name(-self.status)}"
        return f"ended with exit status {self.status}"


def run(
    command: Sequence[str | Path],
    *,
    doing: str,
    cwd: Path,
    env: Mapping[str, str],
    deadline: Deadline,
    launcher: Launcher = launch.spawn,
    stdin: Callable[[], bytes] = bytes,
    pass_fds: Sequence[int] = (),
    result: Path | None = None,
    patience: float = 0.0,
) -> Ended:
    """Run `command` to its end and then end whatever it started.

    `stdin` makes its input, while it starts. Its stdout never reaches ours: the file
    `result` gets it whole, or its end is kept together with that of stderr. What does not
    end in time is ended, and counts as late, with an error that names `doing`. What cannot be
    started ends as it would in a shell. After success, what it started with its own executable
    is given `patience` seconds to end by itself.
    """
    start = Start(command, cwd, env, pass_fds=pass_fds, result=result)
    late = None
    survivors: list[int] = []
    try:
        with _started(start, launcher) as process:
            tail = _Tail(process.said)
            # In a thread: a program may never read it.
            giving = (process.stdin, stdin())
            threading.Thread(target=_give, args=giving, daemon=True).start()
            try:
                if process.wait(deadline.remaining()) == 0:
                    patience = min(patience, deadline.remaining())
                    survivors = _survivors(process.pid, command[0], patience)
            except TimeoutError:
                late = deadline.error(doing)
    except StartError as error:
        return Ended(_CANNOT_START, str(error))
    return Ended(process.wait(), tail.text(), late, survivors)


def _survivors(program: int, executable: str | Path, patience: float) -> list[int]:
    """What still runs of `executable` when `patience` seconds have passed since its end."""
    path, end = os.path.realpath(executable), time.monotonic() + patience
    while (found := [*_strays(program, path)]) and time.monotonic() < end:
        time.sleep(_POLL_SECONDS)
    return found


def _strays(program: int, executable: str) -> Iterator[int]:
    """Processes of this render that run it, and belong to nothing else that was started here."""
    # Other threads start and end programs meanwhile.
    with _changing:
        running = _running - {program}
    own = {pid for started in running for pid in (started, *processes.descendants(started))}
    for pid in processes.working_here():
        if pid not in own and pid != program and processes.executable(pid) == executable:
            yield pid


@dataclass(frozen=True)
class Server:
    """A running server of the Pulumi kind, which reports its port first of all."""

    port: int
    output: Callable[[], str]
    """The end of what it has written since; waits for more as long as it runs, a second at most."""


@contextmanager
def server(
    command: Sequence[str | Path],
    *,
    cwd: Path,
    env: Mapping[str, str],
    deadline: Deadline,
    launcher: Launcher = launch.spawn,
) -> Iterator[Server]:
    """Run `command`, which writes its port as its first line; end it and all it started.

    Raises ProgramError when it cannot be started or reports no port, and DeadlineError when it
    says nothing in time.
    """
    start = Start(command, cwd, env)
    with ExitStack() as open_:
        try:
            process = open_.enter_context(_started(start, launcher))
        except StartError as error:
            raise ProgramError(str(error)) from error
        try:
            port = launch.port_of(process, start, deadline.remaining())
        except StartError as error:
            tail = _Tail(process.said)
            if not deadline.remaining():
                raise deadline.error(f"{start.name} was starting") from error
            raise ProgramError(str(error), details=tail.text()) from error
        yield Server(port, _Tail(process.said).text)


@contextmanager
def _started(start: Start, launcher: Launcher) -> Iterator[Process]:
    processes.adopt_orphans()
    # Under the lock: what has been started and is not noted would belong to nothing here.
    with _changing:
        if not _running:
            _before[:] = processes.descendants(os.getpid())
        process = launcher(start)
        _running.add(process.pid)
    try:
        yield process
    finally:
        below = processes.descendants(process.pid)
        process.kill()
        process.wait()
        processes.kill(below)
        with _changing:
            _running.discard(process.pid)
            if not _running:
                processes.end_descendants(spared=_before)


class _Tail:
    """Reads a pipe in the background and keeps its end."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._chunks: deque[bytes] = deque()
        self._kept = 0
        self._cut = ""
        self._thread = threading.Thread(target=self._read, args=(pipe,), daemon=True)
        self._thread.start()

    def _read(self, pipe: IO[bytes]) -> None:
        with pipe:
            while chunk := os.read(pipe.fileno(), 8192):
                self._chunks.append(chunk)
                self._kept += len(chunk)
                while self._kept - len(self._chunks[0]) > _KEPT_BYTES:
                    self._kept -= len(self._chunks.popleft())
                    self._cut = CUT

    def text(self) -> str:
        """What was kept. A process that escaped with the pipe open is not waited for."""
        self._thread.join(timeout=1)
        kept = b"".join(tuple(self._chunks)).decode(errors="replace")
        return self._cut + kept.strip()


def _give(pipe: IO[bytes], data: bytes) -> None:
    """Write a program's whole input; one that ends without reading it is judged by its end."""
    with suppress(BrokenPipeError), pipe:
        pipe.write(data)
