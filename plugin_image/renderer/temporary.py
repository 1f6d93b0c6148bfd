"""Folders for temporary files, each its maker's as long as one of its processes is there.

What is left of one whose processes were killed, whoever makes the next one removes.
"""

import fcntl
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from . import processes

_PREFIX: Final = "renderer-"
_NAME: Final = re.compile(re.escape(_PREFIX) + r"[a-z0-9_]{8}")
"""As Python's tempfile makes it up."""


def folder() -> Path:
    """A new folder, which is ours as long as one of our processes has it locked.

    Folders that nobody has locked are removed, with what still runs in them. Raises OSError with
    the name of the folder that it was to be in.
    """
    # Not what Python finds: that would be the Application's folder where /tmp cannot be used.
    parent = Path(os.environ.get("TMPDIR") or "/tmp")  # noqa: S108
    try:
        for left in filter(_is_ours, _called_so(parent)):
            if _locked(left):
                processes.end_those_of(left)
                shutil.rmtree(left, ignore_errors=True)
        while True:
            made = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
            # Another process may take it for one that was left.
            if _locked(made) and made.exists():
                return made
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(parent)) from error


def _called_so(parent: Path) -> Iterator[Path]:
    """What is called as folders that are made here; nothing where that cannot be seen."""
    # Not by `glob`: it would compile its pattern anew in each render.
    with suppress(PermissionError):
        yield from (parent / name for name in os.listdir(parent) if _NAME.fullmatch(name))  # noqa: PTH208


def _is_ours(folder: Path) -> bool:
    """Whether it is one that was made here: other programs have names alike."""
    with suppress(OSError):
        found = folder.lstat()
        is_private = stat.S_ISDIR(found.st_mode) and stat.S_IMODE(found.st_mode) == stat.S_IRWXU
        return is_private and found.st_uid == os.getuid()
    return False


def _locked(folder: Path) -> bool:
    """Whether the folder is locked now by this process, until it and its children end."""
    with suppress(OSError):
        file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(file)
        else:
            return True
    return False
