"""What a group of processes takes, counted by the kernel: processor time and memory."""

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.harness.processes import descendants

_MEMBERS = "cgroup.procs"
_POLL_SECONDS = 0.2


@dataclass(frozen=True)
class _Version:
    """What a version of cgroups calls what is counted.

    Source: Linux `Documentation/admin-guide/cgroup-v1/memory.rst` and `cgroup-v2.rst`.
    """

    cpu: Path
    cpu_counter: str
    unit: float
    """What part of a second it counts."""
    memory: Path
    held: frozenset[str]
    """Of `memory.stat`, what the kernel cannot drop at need."""


_VERSIONS = (
    _Version(
        cpu=Path("/sys/fs/cgroup/cpuacct"),
        cpu_counter="cpuacct.usage",
        unit=1e-9,
        memory=Path("/sys/fs/cgroup/memory"),
        held=frozenset({"total_rss", "total_shmem"}),
    ),
    _Version(
        cpu=Path("/sys/fs/cgroup"),
        cpu_counter="cpu.stat",
        unit=1e-6,
        memory=Path("/sys/fs/cgroup"),
        held=frozenset({"anon", "shmem"}),
    ),
)


@dataclass(frozen=True)
class Group:
    """A cgroup: the processes that were put into it, and all that they start from then on."""

    version: _Version
    name: str

    @property
    def folders(self) -> set[Path]:
        """One for each of what is counted, or one for all."""
        return {parent / self.name for parent in (self.version.cpu, self.version.memory)}

    def add(self, pid: int) -> None:
        """Put a process into it, with all that it has started."""
        for one in descendants(pid):
            for folder in self.folders:
                with suppress(ProcessLookupError):
                    (folder / _MEMBERS).write_text(str(one))

    def cpu_seconds(self) -> float:
        """Of all its processes, also of those that have ended."""
        words = (self.version.cpu / self.name / self.version.cpu_counter).read_text().split()
        count = words[words.index("usage_usec") + 1] if len(words) > 1 else words[0]
        return float(count) * self.version.unit

    def pids(self) -> list[int]:
        """The processes that are in it now."""
        members = (self.version.cpu / self.name / _MEMBERS).read_text()
        return [int(pid) for pid in members.split()]

    def memory_bytes(self) -> int:
        """What its processes have asked for since and hold now, files in memory included.

        What several of them share counts once; what the kernel could drop counts not.
        """
        lines = (self.version.memory / self.name / "memory.stat").read_text().splitlines()
        counts = dict(line.split() for line in lines)
        return sum(int(counts[name]) for name in self.version.held)


@contextmanager
def group(name: str) -> Iterator[Group]:
    """A new cgroup; what is in it at the end is killed, but for this process. Takes root."""
    version = next(one for one in _VERSIONS if (one.cpu / one.cpu_counter).exists())
    made = Group(version, f"{name}-{os.getpid()}")
    for folder in made.folders:
        folder.mkdir()
    try:
        yield made
    finally:
        for folder in made.folders:
            (folder.parent / _MEMBERS).write_text(str(os.getpid()))
        while left := made.pids():
            subprocess.run(
                ["kill", "-KILL", *map(str, left)], check=False, stderr=subprocess.DEVNULL
            )
            time.sleep(_POLL_SECONDS)
        for folder in made.folders:
            folder.rmdir()
