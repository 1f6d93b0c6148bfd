"""A program that runs next to the tests and never outlives them."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

HOST_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

_TAIL_LINES = 30
_POLL_SECONDS = 0.05

# cmp-server and repo-server end at the second SIGTERM only, so the first wait is short.
_STOP_SEQUENCE = (
    (signal.SIGTERM, 0.5),
    (signal.SIGTERM, 3.0),
    (signal.SIGKILL, 10.0),
)


class ProcessError(Exception):
    """A program ended too early or did not become ready; holds the end of its log."""


def host_program(name: str) -> str:
    """Find a program of util-linux. Raises ProcessError when it is missing."""
    path = shutil.which(name, path=HOST_PATH)
    if path is None:
        raise ProcessError(f"`{name}` is missing; it is part of util-linux")
    return path


def free_port() -> int:
    """Return a loopback port on which nothing listens at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def listens(port: int) -> bool:
    """Tell whether something accepts connections on this loopback port."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


def wait_until(condition: Callable[[], bool], *, timeout: float) -> bool:
    """Poll until the condition holds; return False when the time is up before."""
    deadline = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_SECONDS)
    return True


class Process:
    """A started program, its log file, and the way to end it.

    The kernel kills it when the thread that started it ends, so nothing is left behind
    even when the tests are killed. Start it from a thread that lives as long as it is
    needed; that is the main thread in all of this package.

    A session of its own keeps Ctrl-C away from it: programs are stopped in order, by us.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str | Path],
        *,
        environment: Mapping[str, str],
        log: Path,
        standard_input: bytes = b"",
    ) -> None:
        """Start the program with exactly this environment."""
        self.name = name
        self.log = log
        with log.open("ab") as output:
            self._popen = subprocess.Popen(
                [host_program("setpriv"), "--pdeathsig=KILL", "--", *command],
                env=dict(environment),
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.signalled_pid = self._popen.pid
        assert self._popen.stdin
        with contextlib.suppress(BrokenPipeError), self._popen.stdin as stream:
            stream.write(standard_input)

    @property
    def pid(self) -> int:
        """The process that was started."""
        return self._popen.pid

    @property
    def running(self) -> bool:
        """Whether the program has not ended yet."""
        return self._popen.poll() is None

    def wait_ready(self, condition: Callable[[], bool], *, timeout: float) -> None:
        """Poll until the condition holds.

        Raises ProcessError, with the end of the log, when the program ends before or the
        time is up.
        """
        in_time = wait_until(lambda: not self.running or condition(), timeout=timeout)
        if not self.running:
            raise ProcessError(self.describe(f"ended with status {self._popen.returncode}"))
        if not in_time:
            raise ProcessError(self.describe(f"was not ready after {timeout:.0f} s"))

    def wait(self, *, timeout: float) -> int:
        """Wait for the end of the program and return its status."""
        try:
            return self._popen.wait(timeout)
        except subprocess.TimeoutExpired as error:
            raise ProcessError(self.describe(f"still ran after {timeout:.0f} s")) from error

    def stop(self) -> None:
        """End the program: SIGTERM twice, then SIGKILL. Does nothing when it has ended."""
        for number, patience in _STOP_SEQUENCE:
            if not self.running:
                return
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.signalled_pid, number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._popen.wait(patience)
        if self.running:
            raise ProcessError(self.describe(f"process {self.pid} survived SIGKILL"))

    def describe(self, event: str) -> str:
        """Say what happened to the program, with the end of its log."""
        lines = self.log.read_text(errors="replace").splitlines()[-_TAIL_LINES:]
        tail = "\n".join(f"    {line}" for line in lines) or "    (empty)"
        return f"{self.name} {event}; the end of {self.log}:\n{tail}"
