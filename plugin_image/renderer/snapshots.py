"""Files that processes which wait can be started from, in place of loading their packages.

A snapshot is the memory of a process that has loaded them. The guard that misses it writes it, for
all that come later. Beside it is its checksum, because a process that is started from a damaged
one may run, and come to something else. Its folder without it says that none can be written, or
that nothing starts from it.
"""

import hashlib
import os
import shutil
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from . import processes
from .keeping import Keepable
from .stock import LOADING_SECONDS

_CHECKSUM: Final = ".sha256"
_AGAIN_SECONDS: Final = 3600.0
"""After which one is written that could not be: the disk may have been full, or the memory."""


class Snapshot(NamedTuple):
    """One that a process can be started from."""

    path: Path
    state: str
    """What tells the file from what it was, as far as nobody has its clock."""


def is_there(what: Keepable) -> bool:
    """Whether there is one, whole or not."""
    return bool(what.snapshot) and Path(what.snapshot).exists()


def found_or_written(what: Keepable, seen: str = "") -> Snapshot | None:
    """The snapshot to start from; None where there is none, and none can be written.

    One whose state is what was `seen`, when a process was started from it, is not read again.
    """
    if not what.snapshot:
        return None
    path = Path(what.snapshot)
    # The cache may be full, or be emptied at the moment; another guard may be done before.
    with suppress(OSError):
        if not path.exists() and not _was_tried(path.parent):
            _write(what, path)
        if not path.exists():
            return None
        # The cache keeps what was used last.
        os.utime(path.parent)
        state = _state(path)
        if state == seen or _checksum(path) == _noted(path).read_bytes():
            return Snapshot(path, state)
        discard(path)
    return None


def discard(snapshot: Path) -> None:
    """Have later processes do without a snapshot that is of no use."""
    snapshot.unlink(missing_ok=True)
    _noted(snapshot).unlink(missing_ok=True)


def _was_tried(folder: Path) -> bool:
    try:
        return time.time() - folder.stat().st_mtime < _AGAIN_SECONDS
    except OSError:
        return False


def _state(path: Path) -> str:
    found = path.stat()
    told = (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
    return " ".join(map(str, told))


def _write(what: Keepable, snapshot: Path) -> None:
    """Write it, or a folder without where that fails. Raises OSError."""
    place = snapshot.parent.parent
    place.mkdir(parents=True, exist_ok=True)
    unfinished = Path(tempfile.mkdtemp(prefix="unfinished-", dir=place))
    try:
        written = unfinished / snapshot.name
        if _ends_well(what, unfinished) and written.exists():
            _noted(written).write_bytes(_checksum(written))
        else:
            written.unlink(missing_ok=True)
        unfinished.rename(snapshot.parent)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _ends_well(what: Keepable, folder: Path) -> bool:
    with suppress(subprocess.SubprocessError):
        subprocess.run(
            what.writes_snapshot,
            cwd=folder,
            env=dict(what.env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=processes.contain_to_the_end,
            timeout=LOADING_SECONDS,
            check=True,
        )
        return True
    return False


def _noted(snapshot: Path) -> Path:
    return snapshot.with_name(snapshot.name + _CHECKSUM)


def _checksum(snapshot: Path) -> bytes:
    with snapshot.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest().encode()
