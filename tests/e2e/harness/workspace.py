"""The folder that holds everything one run writes.

It is removed at the end. Only the logs stay, and only when something failed.
"""

import os
import shutil
import tempfile
from pathlib import Path


class Workspace:
    """A new folder that other users may pass through but not list.

    It lies directly under the system's folder for temporary files: the path of a unix
    socket may have 107 bytes, and the repo-server, whose uid is another one, must reach
    its own subfolder.
    """

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="argocd-e2e-"))
        self.path.chmod(0o711)
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
            return
        for entry in self.path.iterdir():
            if entry != self.logs:
                _remove(entry)


def _new_folder(parent: Path, name: str) -> Path:
    path = parent / name
    number = 1
    while path.exists():
        number += 1
        path = parent / f"{name}-{number}"
    path.mkdir()
    return path


def _remove(folder: Path) -> None:
    """Remove a folder, also where the repo-server has locked its checkouts (mode 0)."""
    for parent, names, _ in os.walk(folder):
        for path in (Path(parent, name) for name in names):
            if not path.is_symlink():
                path.chmod(0o700)
    shutil.rmtree(folder)
