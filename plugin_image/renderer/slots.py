"""Bounds how many renders run at once in a container.

cmp-server starts as many commands as it is asked for; a refresh of a hundred Applications
would start a hundred interpreters. Each slot is a locked file, which the kernel frees
however its holder ends.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .supervise import Deadline

_POLL_SECONDS = 0.02


@contextmanager
def slot(folder: Path, count: int, deadline: Deadline) -> Iterator[None]:
    """Wait for one of `count` slots and hold it. Raises DeadlineError when none comes free."""
    files: list[int] = []
    try:
        # Without a place for slots nothing is bounded, which is better than no render at all.
        with suppress(OSError):
            files += (_opened(folder / f"{number}.lock") for number in range(count))
        while files and not any(_locked(file) for file in files):
            if not deadline.remaining():
                raise deadline.error(f"it waited for one of {count} running renders to end")
            time.sleep(_POLL_SECONDS)
        yield
    finally:
        for file in files:
            os.close(file)


@contextmanager
def exclusive(path: Path, deadline: Deadline, doing: str) -> Iterator[None]:
    """Hold the lock file `path` alone. Raises DeadlineError when another holds it too long."""
    file = _opened(path)
    try:
        while not _locked(file):
            if not deadline.remaining():
                raise deadline.error(doing)
            time.sleep(_POLL_SECONDS)
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
