"""Tells what may be a program's process from our own."""

import os

MARK = "renderer-guard"
"""The name of the processes, guards and keepers, below which programs run."""
_FILTERS = b"Seccomp_filters:"


def is_foreign(pid: int) -> bool:
    """Whether a process may be a program's: contained, or below a guard, or ended.

    No program can take off what contains it (`processes.contain`), or change the name of a process
    above itself.
    """
    return filters(pid) > filters(os.getpid()) or _is_below_guard(pid)


def filters(pid: int) -> int:
    """How many seccomp filters a process has, which can only become more; 0 if nobody counts.

    Source: proc_pid_status(5), Seccomp_filters, since Linux 5.9.
    """
    _, found, rest = _read(pid, "status").partition(_FILTERS)
    return int(rest.split(None, 1)[0]) if found else 0


def counts_filters() -> bool:
    """Whether the kernel tells how many filters a process has."""
    return _FILTERS in _read(os.getpid(), "status")


def parent(pid: int) -> int:
    """The parent of a process, 0 if there is none or the process has ended.

    Source: proc_pid_stat(5).
    """
    after_name = _read(pid, "stat").rpartition(b")")[2].split()
    return int(after_name[1]) if after_name else 0


def _is_below_guard(pid: int) -> bool:
    while pid > 1:
        stat = _read(pid, "stat")
        if not stat or stat.partition(b"(")[2].rpartition(b")")[0] == MARK.encode():
            return True
        pid = parent(pid)
    return pid != 1


def _read(pid: int, name: str) -> bytes:
    """What the kernel tells of a process; nothing of one that has ended."""
    try:
        file = os.open(f"/proc/{pid}/{name}", os.O_RDONLY)
    except OSError:
        return b""
    try:
        return os.read(file, 8192)
    except OSError:
        return b""
    finally:
        os.close(file)
