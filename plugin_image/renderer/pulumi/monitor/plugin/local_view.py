"""Another view of this machine's files, in which some folders may be changed.

These are copies, as kustomize wants the files of a folder below it; the folders above them have
links to what they had. So a path that leads out of a copy comes to the same place as before.
Nothing is written into the folders themselves.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Final

_MOST_FILES: Final = 5000
_GIT: Final = ".git"


def is_small(folder: Path) -> bool:
    """Whether a folder has so few files that a copy takes no time to speak of."""
    count = 0
    for _, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name != _GIT]
        count += len(folders) + len(files)
        if count > _MOST_FILES:
            return False
    return True


def place(folder: Path, view: Path) -> Path:
    """Where a folder, by its real path, is in a view."""
    return view / folder.relative_to(folder.anchor)


def lay_out(folders: Iterable[Path], view: Path) -> None:
    """Make a view in a new folder, with copies of these folders, by their real paths.

    Raises OSError for what cannot be read.
    """
    copied: list[Path] = []
    # What is above comes first: its copy has all that is below.
    for folder in sorted({*folders}):
        if not any(folder.is_relative_to(other) for other in copied):
            shutil.copytree(
                folder,
                _way(folder, view),
                symlinks=True,
                copy_function=_linked,
                ignore=shutil.ignore_patterns(_GIT),
            )
            copied.append(folder)


def _way(folder: Path, view: Path) -> Path:
    """Where the copy of a folder belongs, below folders that have links."""
    for above in reversed(folder.parents):
        there = place(above, view)
        if there.is_symlink():
            there.unlink()
        if not there.exists():
            _link_all(above, there)
    there = place(folder, view)
    if there.is_symlink():
        there.unlink()
    return there


def _link_all(here: Path, there: Path) -> None:
    there.mkdir()
    for entry in os.scandir(here):
        # A link that is relative leads to a copy where there is one.
        target = Path(entry.path).readlink() if entry.is_symlink() else entry.path
        (there / entry.name).symlink_to(target)


def _linked(source: str, target: str) -> None:
    """A second name for a file, which takes no room; a copy where that is another file system."""
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(source, target, follow_symlinks=False)
