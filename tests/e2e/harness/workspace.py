"""The folder that holds everything one run writes.

It is removed at the end. Only the logs stay, and only when something failed. What a run has left
that was killed, the next one removes.
"""

import fcntl
import os
import shutil
import tempfile
from pathlib import Path

ON_DISK = Path("/var/tmp")
"""Where folders for temporary files are on a disk: of a file in memory, the memory counts as that
of the container that has written it."""

_PREFIX = "argocd-e2e-"
_LOCK = ".lock"
"""Held by the run whose folder it is, which only its end takes from it."""


class Workspace:
    """A new folder that other users may pass through but not list.

    It lies directly under the system's folder for temporary files: the path of a unix
    socket may have 107 bytes, and the repo-server, whose uid is another one, must reach
    its own subfolder.
    """

    def __init__(self, parent: Path | None = None) -> None:
        """`parent` takes the place of that folder."""
        parent = parent or Path(tempfile.gettempdir())
        _sweep(parent)
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
        self.path.chmod(0o711)
        self._lock = (self.path / _LOCK).open("w")
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        self.logs = self.folder("logs")

    def folder(self, name: str, *, mode: int = 0o700) -> Path:
        """Make a new subfolder, with a number after its name where there is one of that name."""
        path = _new_folder(self.path, name)
        path.chmod(mode)
        return path

    def log_folder(self, name: str) -> Path:
        """Make a new subfolder of the logs, numbered likewise."""
        return _new_folder(self.logs, name)

    def close(self, *, keep_logs: bool) -> None:
        """Remove the folder, or everything in it but the logs."""
        if not keep_logs:
            _remove(self.path)
        else:
            _remove_all_but(self.logs)
        self._lock.close()


def _new_folder(parent: Path, name: str) -> Path:
    path = parent / name
    number = 1
    while path.exists():
        number += 1
        path = parent / f"{name}-{number}"
    path.mkdir()
    return path


def _sweep(parent: Path) -> None:
    """Remove what runs have left that were killed; their logs stay.

    A folder in which something is mounted is left alone: to empty it would empty that.
    """
    mounts = Path("/proc/self/mountinfo").read_text()
    for lock in parent.glob(f"{_PREFIX}*/{_LOCK}"):
        if str(lock.parent) in mounts:
            continue
        with lock.open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            _remove_all_but(lock.parent / "logs")


def _remove_all_but(logs: Path) -> None:
    for entry in logs.parent.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            if entry != logs:
                _remove(entry)
        else:
            entry.unlink()


def _remove(folder: Path) -> None:
    """Remove a folder, also where the repo-server has locked its checkouts (mode 0)."""
    for parent, names, _ in os.walk(folder):
        for path in (Path(parent, name) for name in names):
            if not path.is_symlink():
                path.chmod(0o700)
    shutil.rmtree(folder)
