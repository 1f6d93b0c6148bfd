"""A folder of finished things outside the work tree; each is made at most once.

An entry's name says what went into it, so entries never change and are never stale.
"""

import fcntl
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

CACHE_VARIABLE = "ARGOCD_PULUMI_PLUGIN_CACHE"
"""Names the cache folder; the default is below $XDG_CACHE_HOME or ~/.cache."""

_POLL_SECONDS = 0.1


class StoppedError(Exception):
    """Nobody wants the result any more."""


def folder() -> Path:
    """Return the cache folder, which need not exist."""
    if chosen := os.environ.get(CACHE_VARIABLE):
        return Path(chosen).absolute()
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "argocd-pulumi-plugin" / "toolchain"


def key(name: str, parts: Iterable[bytes | str]) -> str:
    """Return the name of the entry that is made from exactly these parts."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big") + data)
    return f"{name}-{digest.hexdigest()[:16]}"


def find(entry: str) -> Path | None:
    """Return a finished entry's folder, or None."""
    path = folder() / entry
    return path if path.is_dir() else None


def make(
    entry: str,
    build: Callable[[Path], None],
    *,
    on_wait: Callable[[], None] = lambda: None,
    stopped: Callable[[], bool] = lambda: False,
) -> Path:
    """Return the entry's folder; let `build` fill it when it is not there yet.

    While another process makes the same entry, calls `on_wait` and waits for it. When
    `build` raises, nothing stays behind. Raises StoppedError when stopped while it waits.
    """
    if found := find(entry):
        return found
    with exclusive(entry, on_wait=on_wait, stopped=stopped):
        if found := find(entry):
            return found
        with unfinished(entry) as half_made:
            build(half_made)
            return half_made.rename(folder() / entry)


@contextmanager
def exclusive(
    name: str, *, on_wait: Callable[[], None], stopped: Callable[[], bool]
) -> Iterator[None]:
    """Keep other processes from doing what goes by this name; wait while one of them does it.

    Raises StoppedError when stopped while it waits.
    """
    base = folder()
    base.mkdir(parents=True, exist_ok=True)
    with (base / f".{name}.lock").open("w") as lock:
        if not _locked(lock.fileno()):
            on_wait()
            # A lock that blocks could not be given up by a thread.
            while not _locked(lock.fileno()):
                if stopped():
                    raise StoppedError
                time.sleep(_POLL_SECONDS)
        yield


@contextmanager
def unfinished(name: str) -> Iterator[Path]:
    """Make a folder to work in, gone at the end; needs `exclusive` for the same name."""
    base = folder()
    for abandoned in base.glob(f".{name}.tmp-*"):
        shutil.rmtree(abandoned)
    path = Path(tempfile.mkdtemp(prefix=f".{name}.tmp-", dir=base))
    path.chmod(0o755)
    try:
        yield path
    finally:
        if path.exists():
            shutil.rmtree(path)


def _locked(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
