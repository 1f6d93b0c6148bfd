"""Measures whole processes from outside."""

import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

_POLL_SECONDS = 0.005


@dataclass(frozen=True)
class Contestant:
    """One way to the objects of a program: a command and where it runs."""

    name: str
    command: Sequence[str]
    cwd: Path
    env: Mapping[str, str]
    before: Callable[[], None] = field(default=lambda: None)
    """What makes the next run a fresh one; its time does not count."""


@dataclass(frozen=True)
class Sample:
    """One run."""

    seconds: float
    """By the clock."""
    cpu_seconds: float
    """Of the process and of all that it waited for: it says more on a machine that is busy."""


@dataclass(frozen=True)
class Memory:
    """What one run took."""

    peak_bytes: int
    """The largest resident size of the process itself; what its children take is theirs."""
    output_bytes: int


class MeasurementError(Exception):
    """A contestant failed; holds what it said."""


def time_run(contestant: Contestant) -> Sample:
    """Run to the end. Raises MeasurementError when it fails."""
    contestant.before()
    before = os.times()
    start = time.perf_counter()
    done = subprocess.run(
        contestant.command,
        cwd=contestant.cwd,
        env=contestant.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    seconds = time.perf_counter() - start
    after = os.times()
    _require_success(contestant, done.returncode, done.stdout)
    cpu = sum(after[2:4]) - sum(before[2:4])
    return Sample(seconds, cpu)


def peak_memory(contestant: Contestant) -> Memory:
    """Run to the end and watch the process's memory, from outside. Raises MeasurementError.

    The kernel keeps the peak as long as the process lives. It is read every few
    milliseconds, and last while the process waits for its output to be read: nothing that
    a renderer makes comes later.
    """
    contestant.before()
    with subprocess.Popen(
        contestant.command,
        cwd=contestant.cwd,
        env=contestant.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as process:
        assert process.stdout
        os.set_blocking(process.stdout.fileno(), False)
        peak, output = 0, b""
        while process.poll() is None:
            peak = max(peak, _peak_of(process.pid))
            output += process.stdout.read() or b""
            time.sleep(_POLL_SECONDS)
        output += process.stdout.read() or b""
    _require_success(contestant, process.returncode, output)
    return Memory(peak, len(output))


def _peak_of(pid: int) -> int:
    """The process's peak so far; nothing when it has just ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:")), 0)


def _require_success(contestant: Contestant, status: int, output: bytes) -> None:
    if status:
        raise MeasurementError(
            f"{contestant.name} failed with status {status}:\n{output.decode(errors='replace')}"
        )
