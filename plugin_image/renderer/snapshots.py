"""Files that processes which wait can be started from, in place of loading their packages.

A snapshot is the memory of a process that has loaded them. The guard that misses it writes it, for
all that come later. Beside it is its checksum, because a process that is started from a damaged
one may run, and come to something else. Its folder without it says that none can be written, or
that nothing starts from it.
"""

import hashlib
import shutil
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

from . import processes
from .keeping import Keepable
from .stock import LOADING_SECONDS

_CHECKSUM: Final = ".sha256"


def is_there(what: Keepable) -> bool:
    """Whether there is one, whole or not."""
    return bool(what.snapshot) and Path(what.snapshot).exists()


def found_or_written(what: Keepable) -> Path | None:
    """The snapshot to start from; None where there is none, and none can be written."""
    if not what.snapshot:
        return None
    snapshot = Path(what.snapshot)
    # The cache may be full, or be emptied at the moment; another guard may be done before.
    with suppress(OSError):
        if not snapshot.parent.exists():
            _write(what, snapshot)
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
        with suppress(subprocess.SubprocessError):
            subprocess.run(
                what.writes_snapshot,
                cwd=unfinished,
                env=dict(what.env),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                preexec_fn=processes.contain_to_the_end,
                timeout=LOADING_SECONDS,
                check=True,
            )
            written = unfinished / snapshot.name
            _noted(written).write_text(_checksum(written))
        unfinished.rename(snapshot.parent)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _noted(snapshot: Path) -> Path:
    return snapshot.with_name(snapshot.name + _CHECKSUM)


def _checksum(snapshot: Path) -> str:
    with snapshot.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
