"""The processes below this one: found, kept together, ended.

What Linux offers without privileges; on other systems, what is not offered is left out.
"""

import ctypes
import functools
import os
import platform
import re
import select
import signal
import struct
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from . import ancestry

_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_NAME = 15
_PR_SET_SECCOMP = 22
_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_NO_NEW_PRIVS = 38
_LANDLOCK_CREATE_RULESET = 444
_LANDLOCK_RESTRICT_SELF = 446
_LANDLOCK_SCOPE_SIGNAL = 2
_LANDLOCK_VERSION = 1
_LANDLOCK_WITH_SCOPES = 6
_SECCOMP_MODE_FILTER = 2
_MADV_DONTFORK = 10
_MADVISE = {"x86_64": (0xC000003E, 28), "aarch64": (0xC00000B7, 233)}
"""The number of the system call, for programs of the machine's own architecture.

Source: Linux, audit.h, syscall_64.tbl and scripts/syscall.tbl.
"""


def _instruction(code: int, value: int, skipped: int = 0) -> bytes:
    """An instruction of a filter; `skipped` are those after it, where the two are not equal."""
    return struct.pack("=HBBI", code, 0, skipped, value)


_LOAD, _IS, _RETURN = 0x20, 0x15, 0x06
"""BPF_LD | BPF_W | BPF_ABS, BPF_JMP | BPF_JEQ | BPF_K and BPF_RET | BPF_K."""
_NUMBER, _ARCHITECTURE, _THIRD_ARGUMENT = 0, 4, 32
"""Where these are in `struct seccomp_data`."""
_ALLOW_ALL = _instruction(_RETURN, 0x7FFF0000)
"""SECCOMP_RET_ALLOW."""
_OWN, _OWN_MADVISE = _MADVISE.get(platform.machine(), (0, 0))
_HEED_NO_DONTFORK = b"".join(
    (
        _instruction(_LOAD, _ARCHITECTURE),
        _instruction(_IS, _OWN, skipped=5),
        _instruction(_LOAD, _NUMBER),
        _instruction(_IS, _OWN_MADVISE, skipped=3),
        _instruction(_LOAD, _THIRD_ARGUMENT),
        _instruction(_IS, _MADV_DONTFORK, skipped=1),
        # SECCOMP_RET_ERRNO without an error: nothing is done.
        _instruction(_RETURN, 0x00050000),
        _ALLOW_ALL,
    )
)

_REAPING_SECONDS = 0.001

T = TypeVar("T")

_elsewhere: set[int] = set()


def children(pid: int) -> list[int]:
    """Every process that `pid` is the parent of; none where it has ended."""
    found: list[int] = []
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += map(int, (task / "children").read_text().split())
    return found


def descendants(pid: int, spared: Collection[int] = ()) -> list[int]:
    """Every process that `pid` or one of its descendants is the parent of, parents first.

    But for `spared`, and what is below those.
    """
    found: list[int] = []
    for child in children(pid):
        if child not in spared:
            found += [child, *descendants(child, spared)]
    return found


def working_here() -> list[int]:
    """Every process below this one, and what works for it elsewhere with all below that."""
    found = descendants(os.getpid())
    for pid in tuple(_elsewhere):
        found += [pid, *descendants(pid)]
    return found


@contextmanager
def works_here(pid: int) -> Iterator[None]:
    """Count a process that is not below this one among those that work for it."""
    _elsewhere.add(pid)
    try:
        yield
    finally:
        _elsewhere.discard(pid)


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


def outlast(child: int, seconds: float) -> None:
    """Wait until a child has ended, which is then still to be waited for. Raises TimeoutError.

    `subprocess` looks now and then, and would come to know of it up to a twentieth of a second
    late.
    """
    if hasattr(os, "pidfd_open"):
        ended = os.pidfd_open(child)
        try:
            polled = select.poll()
            polled.register(ended, select.POLLIN)
            if not polled.poll(seconds * 1000):
                raise TimeoutError
        finally:
            os.close(ended)
        return
    end = time.monotonic() + seconds
    while not os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT):
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(_REAPING_SECONDS)


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
    mark = re.compile(rb"(?:^|\0)TMPDIR=" + re.escape(os.fsencode(folder)) + rb"[/\0]")
    kill(pid for pid, environment in _environments() if mark.search(environment))


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


def show() -> None:
    """Take `hide` back, in what has been forked from a hidden process."""
    _prctl(_PR_SET_DUMPABLE, 1)


def mark() -> None:
    """Mark this process as one below which programs run: see `ancestry`."""
    if sys.platform == "linux":
        _libc().prctl(_PR_SET_NAME, ancestry.MARK.encode(), 0, 0, 0)


def started_apart(start: Callable[[], T], *, to_be_forked: bool = False) -> T:
    """What `start` gives, whose processes can neither signal nor trace any but each other.

    That takes Linux 6.12; before, they can do so to every process of the same user. One that is
    `to_be_forked` cannot keep memory from its forks, as V8 does.
    """
    given: list[T] = []
    failed: list[Exception] = []

    def run() -> None:
        contain(_HEED_NO_DONTFORK if to_be_forked else _ALLOW_ALL)
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


def contain(calls: bytes = _ALLOW_ALL) -> None:
    """Have this thread, and what it starts, contained for good, as far as the kernel can.

    What is contained can signal and trace nothing but each other, and is known for a program's
    process wherever it gets to: it has a filter of system calls, which allows them all unless
    `calls` says otherwise, more than the renderer's own (`ancestry.filters`).

    Source: Linux, Documentation/userspace-api/landlock.rst, "IPC scoping", and
    Documentation/userspace-api/seccomp_filter.rst.
    """
    if sys.platform != "linux":
        return
    libc = _libc()
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    nothing_else = struct.pack("=QQQ", 0, 0, _LANDLOCK_SCOPE_SIGNAL)
    rules = libc.syscall(_LANDLOCK_CREATE_RULESET, nothing_else, len(nothing_else), 0)
    if rules >= 0:
        libc.syscall(_LANDLOCK_RESTRICT_SELF, rules, 0)
        os.close(rules)
    instructions = ctypes.create_string_buffer(calls)
    program = struct.pack("HP", len(calls) // 8, ctypes.addressof(instructions))
    libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, program, 0, 0)


def contain_to_the_end() -> None:
    """Contain this process, which is about to run what a package brings, and have it end with the
    thread that started it: nobody else would end what is stopped."""
    contain()
    end_with_parent(signal.SIGKILL)


def can_contain() -> bool:
    """Whether all of `contain` holds here: from Linux 6.12 on, where Landlock is allowed."""
    if sys.platform != "linux" or not ancestry.counts_filters():
        return False
    version = _libc().syscall(_LANDLOCK_CREATE_RULESET, None, 0, _LANDLOCK_VERSION)
    return bool(version >= _LANDLOCK_WITH_SCOPES)


def _environments() -> Iterator[tuple[int, bytes]]:
    for entry in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            yield int(entry.parent.name), entry.read_bytes()


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        _libc().prctl(option, value, 0, 0, 0)


@functools.cache
def _libc() -> ctypes.CDLL:
    """The C library: each time it is looked for, ctypes makes new classes for its functions."""
    return ctypes.CDLL(None)
