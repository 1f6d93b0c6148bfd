"""Runs commands as they would be typed in a folder, and times them."""

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.harness.processes import host_program


class StoppedError(Exception):
    """The command was ended by `Shell.stop`."""


@dataclass(frozen=True)
class Ended:
    """How a command ended, and after how many seconds."""

    status: int
    output: str
    errors: str
    seconds: float


class Command:
    """A command that has been started."""

    def __init__(self, arguments: Sequence[str], *, folder: Path, env: Mapping[str, str]) -> None:
        self._begun = time.monotonic()
        self._popen = subprocess.Popen(
            # Killed by the kernel when the demo is; and out of reach of Ctrl-C, which the
            # demo handles for all.
            [host_program("setpriv"), "--pdeathsig=KILL", "--", *arguments],
            cwd=folder,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def wait(self) -> Ended:
        """Wait until it has ended."""
        output, errors = self._popen.communicate()
        return Ended(self._popen.returncode, output, errors, time.monotonic() - self._begun)

    def kill(self) -> None:
        """End it, with all that it has started."""
        if self._popen.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._popen.pid, signal.SIGKILL)


class Shell:
    """Runs commands in a folder. `stop` may be called from any thread."""

    def __init__(self, folder: Path, env: Mapping[str, str]) -> None:
        self._folder = folder
        self._env = env
        self._lock = threading.Lock()
        self._commands: list[Command] = []
        self._stopped = False

    def start(self, arguments: Sequence[str], *, folder: str = ".") -> Command:
        """Start a command in a folder below. Raises StoppedError when all was stopped."""
        with self._lock:
            if self._stopped:
                raise StoppedError
            command = Command(arguments, folder=self._folder / folder, env=self._env)
            self._commands.append(command)
            return command

    def run(self, arguments: Sequence[str]) -> Ended:
        """Run a command to its end. Raises StoppedError when it was stopped before."""
        return self.wait(self.start(arguments))

    def wait(self, command: Command) -> Ended:
        """Wait for a command that was started. Raises StoppedError when it was stopped."""
        ended = command.wait()
        with self._lock:
            self._commands.remove(command)
            if self._stopped:
                raise StoppedError
        return ended

    def stop(self) -> None:
        """End what runs, and let nothing be started any more."""
        with self._lock:
            self._stopped = True
            for command in self._commands:
                command.kill()
