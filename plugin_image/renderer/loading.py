"""How a guard has a process load packages: when there is room and time, until it has loaded them.

The process is started when a processor has nothing to do: a priority that was lowered could not be
raised again for a run. It says `ready`, or why its packages cannot be kept.
"""

import os
import select
import socket
import time
from pathlib import Path
from typing import Final

from . import memory, processes
from .keeping import Keepable
from .stock import LOADING_SECONDS

READY: Final = b"ready"
UNFIT: Final = b"unfit"
"""Said by a guard of a process that says something else, before that."""

_MESSAGE_BYTES: Final = 1024
_IDLE_SECONDS: Final = 0.2
"""How long a processor must have had nothing to do."""
_PATIENCE_SECONDS: Final = 5.0
"""After which a process is started on a busy machine, too."""
_TICKS: Final = os.sysconf("SC_CLK_TCK")


def may_start(what: Keepable, channel: socket.socket) -> bool:
    """Wait until there is room and time for it; False where nobody wants it any more."""
    end = time.monotonic() + _PATIENCE_SECONDS
    idle = _idle_seconds()
    while not readable(channel.fileno(), seconds=_IDLE_SECONDS):
        before, idle = idle, _idle_seconds()
        has_time = idle - before >= _IDLE_SECONDS or time.monotonic() > end
        if has_time and memory.has_room(memory.container(), what.bytes):
            return True
    return False


def said_when_loaded(process: socket.socket, ended: int, channel: socket.socket) -> bytes | None:
    """What a process says on its socket, nothing if it ends; None if it never comes to that.

    `ended` can be read when it has ended, and `channel` when nobody wants it any more.
    """
    files = (process.fileno(), ended, channel.fileno())
    if process.fileno() not in readable(*files, seconds=LOADING_SECONDS):
        return None
    said = process.recv(_MESSAGE_BYTES)
    if said == READY and len(processes.descendants(os.getpid())) > 1:
        return b"a package starts a process while it is loaded"
    return said


def readable(*files: int, seconds: float | None = None) -> set[int]:
    """Those of the files that can be read, once there is one, or some seconds later."""
    polled = select.poll()
    for file in files:
        polled.register(file, select.POLLIN)
    return {file for file, _ in polled.poll(None if seconds is None else seconds * 1000)}


def _idle_seconds() -> float:
    """For how long all processors together had nothing to do. Source: proc_stat(5)."""
    return int(Path("/proc/stat").read_text().split(maxsplit=5)[4]) / _TICKS
