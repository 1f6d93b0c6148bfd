"""The processes below this one: found, kept together, ended.

What Linux offers without privileges; on other systems, what is not offered is left out.
"""

import ctypes
import os
import signal
import struct
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_NO_NEW_PRIVS = 38
_LANDLOCK_CREATE_RULESET = 444
_LANDLOCK_RESTRICT_SELF = 446
_LANDLOCK_SCOPE_SIGNAL = 2

_REAPING_SECONDS = 0.001

T = TypeVar("T")


def descendants(pid: int, spared: Collection[int] = ()) -> list[int]:
    """Every process that `pid` or one of its descendants is the parent of, parents first.

    But for `spared`, and what is below those.
    """
    found: list[int] = []
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in map(int, (task / "children").read_text().split()):
                if child not in spared:
                    found += [child, *descendants(child, spared)]
    return found


def executable(pid: int) -> str:
    """The path of what a process runs; empty where it has ended, or cannot be looked at."""
    with suppress(OSError):
        return str(Path(f"/proc/{pid}/exe").readlink())
    return ""


def kill(pids: Iterable[int]) -> None:
    """Kill those of the processes that are still there."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def end_descendants(spared: Collection[int] = ()) -> None:
    """Kill and reap everything below this process, and what comes to it by that, to the last.

    But for `spared`, and what is below those.
    """
    while pids := descendants(os.getpid(), spared):
        kill(pids)
        for pid in pids:
            # Without waiting for this one: the first process of a PID namespace ends after all
            # others in it, and those not yet this one's children come to it.
            with suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        time.sleep(_REAPING_SECONDS)


def end_those_of(folder: Path) -> None:
    """Kill every process whose folder for temporary files is `folder`, or in it."""
    mark = f"TMPDIR={folder}".encode()
    kill(pid for pid, environment in _environments() if mark in environment)


def signal_name(number: int) -> str:
    """What messages call a signal; most of the real-time ones have no name."""
    return signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent ends, so that none can get away."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def end_with_parent(number: signal.Signals) -> None:
    """Get a signal as soon as the thread that started this process ends, however that is."""
    _prctl(_PR_SET_PDEATHSIG, number)


def hide() -> None:
    """Let no process of the same user look into this one's memory, or trace it."""
    _prctl(_PR_SET_DUMPABLE, 0)


def started_apart(start: Callable[[], T]) -> T:
    """What `start` gives, whose processes can neither signal nor trace any but each other.

    That takes Linux 6.12; before, they can do so to every process of the same user.
    """
    given: list[T] = []
    failed: list[Exception] = []

    def run() -> None:
        _scope_signals()
        try:
            given.append(start())
        except Exception as error:  # noqa: BLE001 - the caller's, as without a thread
            failed.append(error)

    # The limit is a thread's and its children's, for good: hence a separate thread.
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if failed:
        raise failed[0]
    return given[0]


def _scope_signals() -> None:
    """Source: Linux, Documentation/userspace-api/landlock.rst, "IPC scoping"."""
    if sys.platform != "linux":
        return
    libc = ctypes.CDLL(None)
    nothing_else = struct.pack("=QQQ", 0, 0, _LANDLOCK_SCOPE_SIGNAL)
    rules = libc.syscall(_LANDLOCK_CREATE_RULESET, nothing_else, len(nothing_else), 0)
    if rules >= 0:
        _prctl(_PR_SET_NO_NEW_PRIVS, 1)
        libc.syscall(_LANDLOCK_RESTRICT_SELF, rules, 0)
        os.close(rules)


def _environments() -> Iterator[tuple[int, bytes]]:
    for entry in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            yield int(entry.parent.name), entry.read_bytes()


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
