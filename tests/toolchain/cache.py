"""A folder of finished things outside the work tree; each is made at most once.

An entry's name says what went into it, so entries never change and are never stale.
"""

import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

CACHE_VARIABLE = "ARGOCD_PULUMI_PLUGIN_CACHE"
"""Names the cache folder; the default is below $XDG_CACHE_HOME or ~/.cache."""


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
    entry: str, build: Callable[[Path], None], *, on_wait: Callable[[], None] = lambda: None
) -> Path:
    """Return the entry's folder; let `build` fill it when it is not there yet.

    While another process makes the same entry, calls `on_wait` and waits for it. When
    `build` raises, nothing stays behind.
    """
    if found := find(entry):
        return found
    base = folder()
    base.mkdir(parents=True, exist_ok=True)
    with (base / f".{entry}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            on_wait()
            fcntl.flock(lock, fcntl.LOCK_EX)
        if found := find(entry):
            return found
        for abandoned in base.glob(f".{entry}.tmp-*"):
            shutil.rmtree(abandoned)
        unfinished = Path(tempfile.mkdtemp(prefix=f".{entry}.tmp-", dir=base))
        try:
            unfinished.chmod(0o755)
            build(unfinished)
            return unfinished.rename(base / entry)
        except BaseException:
            shutil.rmtree(unfinished)
            raise
