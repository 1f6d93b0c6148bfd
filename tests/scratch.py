"""Where tests write what only they need.

They make and remove files by the ten thousand: with these in memory, tests of the renderer take a
seventh less time. On a file system without a journal it is more, for there files are the slower to
make the more have just been removed.
"""

import os
import shutil
from pathlib import Path
from typing import Final

_IN_MEMORY: Final = Path("/dev/shm")
_PLENTY: Final = 16e9
"""Bytes of memory that are to be free: three times what a run of all tests has there at once."""
_MEMORY: Final = Path("/proc/meminfo")


def in_memory() -> Path | None:
    """Return a folder of ours in memory, which is made; None where too little of that is free."""
    try:
        told = dict(line.split(":", 1) for line in _MEMORY.read_text().splitlines())
        free = int(told["MemAvailable"].split()[0]) * 1024
        free = min(free, shutil.disk_usage(_IN_MEMORY).free)
        if free < _PLENTY or os.statvfs(_IN_MEMORY).f_flag & os.ST_NOEXEC:
            return None
        # Others may pass through, as through any such folder.
        folder = _IN_MEMORY / f"tests-{os.getuid()}"
        folder.mkdir(mode=0o755, exist_ok=True)
        return folder if folder.stat().st_uid == os.getuid() else None
    except (OSError, KeyError):
        return None
