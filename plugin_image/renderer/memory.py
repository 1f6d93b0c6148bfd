"""Keeps a render within the memory of its container, so that the kernel never has to.

With cgroup v2 the kubelet lets the kernel kill a container as a whole: one render that takes
too much would end cmp-server and every other render with it. A render therefore stops itself
before: no process of it may ask for more than the container has (the kernel refuses, and the
program fails as on a small machine), and when all processes together come near the limit,
those renders stop that use more than their share. Locally, where no limit is set, nothing
of this happens.
"""

import os
import resource
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from . import processes
from .errors import MemoryLimitError

_CGROUPS = Path("/sys/fs/cgroup")
_ENOUGH = 0.9
"""The part of the container's limit at which renders begin to stop."""
_SHARED = 0.8
"""The part of it that renders may use; the rest is for cmp-server and probes."""
_KEPT = 0.5
"""The part of it up to which processes are kept for later renders."""
_UNLIMITED = 1 << 60
"""From here on a number of cgroup v1 means that there is no limit."""
_POLL_SECONDS = 0.02
_PAGE = os.sysconf("SC_PAGE_SIZE")


class Container(Protocol):
    """What a container may use, and does."""

    @property
    def limit(self) -> int:
        """Bytes."""

    def uses_more_than(self, amount: int) -> bool:
        """Whether more is in use, not counting file caches, which the kernel drops at need."""


@dataclass(frozen=True)
class Cgroup:
    """A container's memory as the kernel counts it. cgroup v1 has the same under other names."""

    limit: int
    usage: Path
    statistics: Path
    prefix: str = ""

    def uses_more_than(self, amount: int) -> bool:
        """See `Container`. Most of the time one number answers."""
        used = int(self.usage.read_text())
        return used > amount and used - self._cached() > amount

    def _cached(self) -> int:
        lines = (line.split() for line in self.statistics.read_text().splitlines())
        files = {f"{self.prefix}active_file", f"{self.prefix}inactive_file"}
        return sum(int(value) for name, value in lines if name in files)


def container(root: Path = _CGROUPS) -> Cgroup | None:
    """The container that this process is in, None without a limit that could be read."""
    second, first = root, root / "memory"
    with suppress(OSError, ValueError):
        limit = int((second / "memory.max").read_text())
        return Cgroup(limit, second / "memory.current", second / "memory.stat")
    with suppress(OSError, ValueError):
        limit = int((first / "memory.limit_in_bytes").read_text())
        if limit < _UNLIMITED:
            usage, statistics = first / "memory.usage_in_bytes", first / "memory.stat"
            return Cgroup(limit, usage, statistics, prefix="total_")
    return None


def has_room(container: Container | None, needed: int = 0) -> bool:
    """Whether there is memory for what is kept for later renders, and takes so many bytes now."""
    if container is None:
        return True
    most = min(container.limit * _KEPT, container.limit * _SHARED - needed)
    return most > 0 and not container.uses_more_than(int(most))


def may_stay(container: Container | None, needed: int) -> bool:
    """Whether what comes to take so many bytes would be kept, with all that is kept by now."""
    return container is None or not container.uses_more_than(
        max(0, int(container.limit * _KEPT) - needed)
    )


def is_short(container: Container | None) -> bool:
    """Whether renders need what is kept: soon they would be stopped, or all by the kernel."""
    return container is not None and container.uses_more_than(int(container.limit * _SHARED))


@contextmanager
def limited(container: Container | None, concurrency: int) -> Iterator[None]:
    """Stop what runs in here when it takes too much. Raises MemoryLimitError instead of the rest.

    `concurrency` is how many renders share the container.
    """
    if container is None:
        yield
        return
    enough = int(container.limit * _ENOUGH)
    before = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (enough, before[1]))
    watch = _Watch(container, enough, int(container.limit * _SHARED) // concurrency)
    try:
        with watch:
            yield
    except Exception as error:
        if watch.tripped or isinstance(error, MemoryError):
            raise _too_much(container.limit) from error
        raise
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)
    if watch.tripped:
        raise _too_much(container.limit)


def _too_much(limit: int) -> MemoryLimitError:
    return MemoryLimitError(
        f"the render took too much of the {limit / 2**20:.0f} MiB of memory that the plugin's "
        "container has, and was stopped",
        fix="make the program smaller, or raise the plugin's memory limit",
    )


class _Watch:
    """Ends everything that this process started when there is too little memory left."""

    def __init__(self, container: Container, enough: int, share: int) -> None:
        self.tripped = False
        self._container = container
        self._enough = enough
        self._share = share
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._done.wait(_POLL_SECONDS):
            # Another render of the same container may be the one that takes too much.
            if self._container.uses_more_than(self._enough) and _resident() > self._share:
                self.tripped = True
                processes.kill(processes.working_here())


def _resident() -> int:
    """Bytes that this process and all it started have in memory."""
    pids = [os.getpid(), *processes.working_here()]
    return sum(_pages(pid) for pid in pids) * _PAGE


def _pages(pid: int) -> int:
    with suppress(OSError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return 0
