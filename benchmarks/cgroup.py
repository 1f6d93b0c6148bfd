"""What a group of processes takes, counted by the kernel: processor time and memory."""

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.harness.processes import descendants

_COUNTERS = (
    (Path("/sys/fs/cgroup/cpuacct"), "cpuacct.usage", 1e-9),
    (Path("/sys/fs/cgroup"), "cpu.stat", 1e-6),
)
"""Where cgroups are, the file that counts, and what part of a second it counts; v1 and v2."""
_POLL_SECONDS = 0.2


@dataclass(frozen=True)
class Group:
    """A cgroup: the processes that were put into it, and all that they start from then on."""

    folder: Path
    counter: str
    unit: float

    def add(self, pid: int) -> None:
        """Put a process into it, with all that it has started."""
        for one in descendants(pid):
            with suppress(ProcessLookupError):
                self._members.write_text(str(one))

    def cpu_seconds(self) -> float:
        """Of all its processes, also of those that have ended."""
        words = (self.folder / self.counter).read_text().split()
        return float(words[words.index("usage_usec") + 1] if len(words) > 1 else words[0]) * (
            self.unit
        )

    def pids(self) -> list[int]:
        """The processes that are in it now."""
        return [int(pid) for pid in self._members.read_text().split()]

    def memory_bytes(self) -> int:
        """What its processes hold now; what several of them share counts once."""
        return sum(map(_proportional_bytes, self.pids()))

    @property
    def _members(self) -> Path:
        return self.folder / "cgroup.procs"


@contextmanager
def group(name: str) -> Iterator[Group]:
    """A new cgroup; what is in it at the end is killed, but for this process. Takes root."""
    parent, counter, unit = next(told for told in _COUNTERS if (told[0] / told[1]).exists())
    made = Group(parent / f"{name}-{os.getpid()}", counter, unit)
    made.folder.mkdir()
    try:
        yield made
    finally:
        (parent / "cgroup.procs").write_text(str(os.getpid()))
        while left := made.pids():
            subprocess.run(
                ["kill", "-KILL", *map(str, left)], check=False, stderr=subprocess.DEVNULL
            )
            time.sleep(_POLL_SECONDS)
        made.folder.rmdir()


def _proportional_bytes(pid: int) -> int:
    with suppress(OSError, ProcessLookupError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0
