"""What is at a path, as a short text that is another one as soon as anything differs."""

import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

MOST_FILES: Final = 5000
MOST_BYTES: Final = 32 * 2**20
"""More is read again for each render only by those who have to."""
NOTHING: Final = "nothing"
"""How the state of a path begins at which there is nothing, not even a link."""
_MOST_LINKS: Final = 40
_NOT_CONTENT: Final = ".git"
"""What Git has for itself differs in each commit."""


class UntoldError(Exception):
    """It is too much to look at, or leads out of the folder, or is no file, folder or link."""


def of_content(path: str) -> str:
    """The state of a file, or what else there is; of a folder only that it is one.

    Equal for a file and its copy. Raises UntoldError.
    """
    return _followed(path, _of_entry)


def of_identity(path: str) -> str:
    """The same of what is not copied: which file it is, and when it was last changed."""
    return _followed(path, _identity)


def is_settled(path: str, moment: float, *, is_listed: bool = False) -> bool:
    """Whether nothing that the state of a path tells has changed since a moment, in epoch seconds.

    What is made or removed there counts; what is in a folder that is there, if it is listed.
    """
    try:
        status = os.stat(path)  # noqa: PTH116
    except OSError:
        nearest = Path(path)
        while not os.path.lexists(nearest):
            nearest = nearest.parent
        return nearest.lstat().st_ctime < moment
    is_the_same = stat.S_ISDIR(status.st_mode) and not is_listed
    return is_the_same or status.st_ctime < moment


def of_listing(path: str) -> str:
    """The state of a folder's list of entries."""
    try:
        with os.scandir(path) as entries:
            kinds = sorted((entry.name, stat.S_IFMT(_mode(entry))) for entry in entries)
    except OSError as error:
        return f"{NOTHING}: {error.errno}"
    return hashlib.sha256(repr(kinds).encode(errors="surrogateescape")).hexdigest()


def of_tree(root: str) -> str:
    """The state of all that is in a folder, but what Git has for itself. Raises UntoldError."""
    digest, left = hashlib.sha256(), MOST_BYTES
    for number, (name, path, status) in enumerate(_entries(root)):
        if number >= MOST_FILES:
            raise UntoldError
        if stat.S_ISREG(status.st_mode):
            left -= status.st_size
            if left < 0:
                raise UntoldError
        said = _link(root, path) if stat.S_ISLNK(status.st_mode) else _of_entry(path, status)
        digest.update(f"{name}\0{said}\0".encode(errors="surrogateescape"))
    return digest.hexdigest()


def _entries(root: str) -> Iterator[tuple[str, str, os.stat_result]]:
    """All below a folder, in a fixed order, by their names in it. Raises UntoldError."""
    folders = [("", root)]
    while folders:
        below, folder = folders.pop()
        try:
            with os.scandir(folder) as found:
                entries = sorted(found, key=lambda entry: entry.name)
            for entry in entries:
                if entry.path == f"{root}/{_NOT_CONTENT}":
                    continue
                status = entry.stat(follow_symlinks=False)
                yield below + entry.name, entry.path, status
                if stat.S_ISDIR(status.st_mode):
                    folders.append((f"{below}{entry.name}/", entry.path))
        except OSError as error:
            raise UntoldError from error


def _mode(entry: "os.DirEntry[str]") -> int:
    return entry.stat(follow_symlinks=False).st_mode


def _link(root: str, path: str) -> str:
    """A link within a folder. Raises UntoldError for one that leads out of it, or to Git's own."""
    top = Path(root).resolve()
    try:
        target = Path(path).resolve()
    except RuntimeError as error:
        raise UntoldError from error  # a circle
    own = top / _NOT_CONTENT
    leads_there = target.is_relative_to(own) or (own.exists() and own.is_relative_to(target))
    if leads_there or not target.is_relative_to(top):
        raise UntoldError
    return f"link to {os.readlink(path)}"  # noqa: PTH115


def _followed(path: str, of: Callable[[str, os.stat_result], str]) -> str:
    """What `of` says of what is at a path, with the links that lead there."""
    parts: list[str] = []
    for _ in range(_MOST_LINKS):
        try:
            status = os.lstat(path)
        except OSError as error:
            return " ".join([*parts, f"{NOTHING}: {error.errno}"])
        if not stat.S_ISLNK(status.st_mode):
            return " ".join([*parts, of(path, status)])
        target = os.readlink(path)  # noqa: PTH115
        parts.append(f"link to {target}")
        path = os.path.join(os.path.dirname(path), target)  # noqa: PTH118, PTH120
    raise UntoldError


def _identity(_path: str, status: os.stat_result) -> str:
    if stat.S_ISDIR(status.st_mode):
        return "folder"
    if not stat.S_ISREG(status.st_mode):
        raise UntoldError
    return f"file {status.st_dev} {status.st_ino} {status.st_size} {status.st_ctime_ns}"


def _of_entry(path: str, status: os.stat_result) -> str:
    mode = stat.S_IMODE(status.st_mode)
    if stat.S_ISDIR(status.st_mode):
        return f"folder {mode:o}"
    if not stat.S_ISREG(status.st_mode):
        raise UntoldError
    if status.st_size > MOST_BYTES:
        raise UntoldError
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - thousands of them
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        return f"unreadable: {error.errno}"
    return f"file {mode:o} {digest}"
