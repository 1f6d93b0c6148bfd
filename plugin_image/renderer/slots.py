"""Bounds how many renders run at once in a container.

cmp-server starts as many commands as it is asked for; a refresh of a hundred Applications
would start a hundred interpreters. Each slot is a locked file, which the kernel frees
however its holder ends. Slots are given in the order of arrival: whoever waits has a locked file,
too, named by when it came, and only the first in the line asks for a slot.
"""

import fcntl
import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import islice
from pathlib import Path

from .supervise import Deadline

_POLL_SECONDS = 0.02
_POLL_SECONDS_OF_THE_FIRST = 0.002
"""One alone looks that often, and a slot that is free is a processor that has nothing to do."""
_IN_LINE = re.compile(r"[0-9].*-.*\.lock")
_MOST_IN_LINE = 10_000


_MORE = (
    "raise the plugin's `concurrency` together with its limits of processor and memory, or have "
    "more replicas of what runs it"
)
_AGAIN = "render again: what the other one has installed by then is kept"


@contextmanager
def slot(folder: Path, count: int, deadline: Deadline) -> Iterator[None]:
    """Wait for one of `count` slots and hold it. Raises DeadlineError when none comes free."""
    doing = f"it waited for one of {count} running renders to end"
    files: list[int] = []
    try:
        with ExitStack() as line:
            # Without a place for slots nothing is bounded, and without one for a line there is no
            # order, which is better than no render at all.
            with suppress(OSError):
                files += (_opened(folder / f"{number}.lock") for number in range(count))
                line.enter_context(_line(folder, deadline, doing))
            _wait(
                lambda: not files or any(map(_locked, files)),
                deadline,
                doing,
                poll_seconds=_POLL_SECONDS_OF_THE_FIRST,
            )
        yield
    finally:
        for file in files:
            os.close(file)


@contextmanager
def _line(folder: Path, deadline: Deadline, doing: str) -> Iterator[None]:
    """Stand in line, and wait until all who came before have left it. Raises OSError."""
    came = folder / f"{time.monotonic_ns():020}-{os.getpid()}-{threading.get_ident()}.lock"
    hidden = came.with_name(f".{came.name}")
    file = _opened(hidden)
    try:
        # Before it is seen: what is not locked has been left.
        _locked(file)
        hidden.rename(came)
        names = filter(_IN_LINE.fullmatch, os.listdir(folder))  # noqa: PTH208
        for other in (folder / name for name in sorted(names, reverse=True)):
            with suppress(FileNotFoundError):
                if other < came:
                    _outlast(other, deadline, doing)
        yield
    finally:
        for name in (hidden, came):
            name.unlink(missing_ok=True)
        os.close(file)


def _outlast(other: Path, deadline: Deadline, doing: str) -> None:
    """Wait until somebody has left the line, and remove what is left.

    Raises OSError, and DeadlineError in the main thread.
    """
    file = os.open(other, os.O_RDONLY)
    try:
        # Many stand in line: if each looked again and again, that would take from those at work.
        with deadline.enforced(doing, _MORE):
            fcntl.flock(file, fcntl.LOCK_EX)
        other.unlink(missing_ok=True)
    finally:
        os.close(file)


def _wait(
    holds: Callable[[], bool],
    deadline: Deadline,
    doing: str,
    fix: str = _MORE,
    poll_seconds: float = _POLL_SECONDS,
) -> None:
    while not holds():
        if not deadline.remaining():
            raise deadline.error(doing, fix)
        time.sleep(poll_seconds)


def waiting(folder: Path) -> int:
    """How many stand in line for a slot. What is there without its lock has been left.

    Looks at no more than a line can have, whatever programs put there.
    """
    with suppress(OSError), os.scandir(folder) as found:
        entries = islice(found, _MOST_IN_LINE)
        return sum(_is_held(entry.path) for entry in entries if _IN_LINE.fullmatch(entry.name))
    return 0


def _is_held(path: str) -> bool:
    with suppress(OSError):
        # Without waiting for whoever opens the other end, where a program made a pipe of it.
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
        try:
            return not _locked(file)
        finally:
            os.close(file)
    return False


@contextmanager
def exclusive(path: Path, deadline: Deadline, doing: str) -> Iterator[None]:
    """Hold the lock file `path` alone. Raises DeadlineError when another holds it too long."""
    file = _opened(path)
    try:
        _wait(lambda: _locked(file), deadline, doing, _AGAIN)
        yield
    finally:
        os.close(file)


def is_free(path: Path) -> bool:
    """Whether nobody holds the lock file `path`."""
    file = _opened(path)
    try:
        return _locked(file)
    finally:
        os.close(file)


def _opened(path: Path) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    # For reading, which is enough to lock it, also where nothing can be written any more.
    return os.open(path, os.O_RDONLY | os.O_CREAT, 0o600)


def _locked(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
