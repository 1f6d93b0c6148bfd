"""What lets the demo end at any moment and leave nothing behind."""

import contextlib
import ctypes
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_PR_SET_CHILD_SUBREAPER = 36


@dataclass
class _Interruption:
    """What is known of one."""

    held_up: bool = False
    came: bool = False


_interruption = _Interruption()


def interruptible() -> None:
    """Let Ctrl-C, SIGTERM and a closed terminal raise KeyboardInterrupt, the first of them only.

    What is stopped in order is not to be interrupted by the second.
    """

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        uninterruptible()
        _interruption.came = True
        if not _interruption.held_up:
            raise KeyboardInterrupt

    for number in _SIGNALS:
        signal.signal(number, interrupt)
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing)
    threading.Thread(target=_wake_the_main_thread, args=(reading,), daemon=True).start()


def _wake_the_main_thread(signals: int) -> None:
    """Give it the signal that has come, once.

    A thread that is just starting a process may have got it first. Python then only takes
    note of it, and the main thread would go on waiting for a part or for another thread.
    """
    number = os.read(signals, 1)[0]
    main = threading.main_thread().ident
    if main:
        signal.pthread_kill(main, number)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let an interruption wait for the end of the block.

    What is begun in it, a thread or a folder, is then also in the hands of what ends it.
    """
    _interruption.held_up = True
    try:
        yield
    finally:
        _interruption.held_up = False
    if _interruption.came:
        raise KeyboardInterrupt


def uninterruptible() -> None:
    """Let nothing disturb what comes, which does not take long."""
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent ends, so that they can be found.

    The Pulumi CLI that is ended leaves its plugins behind, which notice it minutes later.
    """
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_children() -> None:
    """Kill every child, and those who become children by that, until none is left."""
    while children := _children():
        for pid in children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        # One after the other: those that a child leaves are ours before it can be waited for.
        os.wait()


def _children() -> list[int]:
    """Every child of this process; the list that the kernel keeps may leave some out."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # What stands before the last bracket is the program's name.
            parent = int(status.read_text().rpartition(")")[2].split()[1])
            if parent == os.getpid():
                found.append(int(status.parent.name))
    return found
