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
from contextlib import suppress
from pathlib import Path
from typing import Final

from . import processes
from .keeping import Keepable
from .stock import LOADING_SECONDS

State = tuple[int, ...]
"""What tells a file from what it was before, as far as nobody has its clock."""
NONE: Final[State] = ()

_CHECKSUM: Final = ".sha256"


def is_there(what: Keepable) -> bool:
    """Whether there is one, whole or not."""
    return bool(what.snapshot) and Path(what.snapshot).exists()


def state(what: Keepable) -> State:
    """The state of the snapshot; `NONE` where there is none."""
    try:
        found = os.stat(what.snapshot)  # noqa: PTH116
    except OSError:
        return NONE
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def found_or_written(what: Keepable, seen: State = NONE) -> Path | None:
    """The snapshot to start from; None where there is none, and none can be written.

    One that is as it was `seen`, when a process was started from it, is not read again.
    """
    if not what.snapshot:
        return None
    snapshot = Path(what.snapshot)
    # The cache may be full, or be emptied at the moment; another guard may be done before.
    with suppress(OSError):
        if not snapshot.parent.exists():
            _write(what, snapshot)
        # The cache keeps what was used last.
        os.utime(snapshot.parent)
        if seen and state(what) == seen:
            return snapshot
        if _checksum(snapshot) == _noted(snapshot).read_text():
            return snapshot
        discard(snapshot)
    return None


def discard(snapshot: Path) -> None:
    """Have later processes do without a snapshot that is of no use."""
    snapshot.unlink(missing_ok=True)


def _write(what: Keepable, snapshot: Path) -> None:
    """Write it, or a folder without where that fails. Raises OSError."""
    place = snapshot.parent.parent
    place.mkdir(parents=True, exist_ok=True)
    unfinished = Path(tempfile.mkdtemp(prefix="unfinished-", dir=place))
    try:
        written = unfinished / snapshot.name
        if _ends_well(what, unfinished) and written.exists():
            _noted(written).write_text(_checksum(written))
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


def _checksum(snapshot: Path) -> str:
    with snapshot.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
