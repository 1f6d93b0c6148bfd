"""Looks at files of a project, at whose paths Git or a user may have put anything.

A file that is there and cannot be read as one is an error and never passed over: without it,
the render would be another one. Nothing but a regular file is opened, so none is waited
for; a link may lead to any file of the repository.
"""

import codecs
import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from .errors import ManifestError, ProjectError

_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
_ENCODINGS = {
    codecs.BOM_UTF8: "UTF-8",
    codecs.BOM_UTF32_LE: "UTF-32-LE",
    codecs.BOM_UTF32_BE: "UTF-32-BE",
    codecs.BOM_UTF16_LE: "UTF-16-LE",
    codecs.BOM_UTF16_BE: "UTF-16-BE",
}
"""By how a file begins; that of UTF-32 begins with that of UTF-16, and so comes first."""


MOST_OUTPUT = 100 * 2**20
"""Bytes of manifests. Source: argo-cd, common/common.go, ARGOCD_GRPC_MAX_SIZE_MB."""
_MOST_BYTES = 64 * 2**20
"""Far more than anything that is read here has, and less than a container's memory."""

_SENT = "_cmp_server"
"""The folder of cmp-server in which each render has its copy of the repository, or of the part
that the annotation `argocd.argoproj.io/manifest-generate-paths` names, mostly without `.git`.

Source: argo-cd, common/common.go (GetCMPWorkDir), reposerver/repository/utils.go.
"""


def repository(folder: Path) -> Path:
    """The nearest folder with a `.git`, from this one up, or all that Argo CD has sent.

    The folder itself where there is neither.
    """
    return next(filter(_is_repository, (folder, *folder.parents)), folder)


def _is_repository(folder: Path) -> bool:
    return os.path.lexists(folder / ".git") or folder.parent.name == _SENT


def upwards(folder: Path, repository: Path) -> Iterator[Path]:
    """The folder and those above it, to the root of the repository."""
    for above in (folder, *folder.parents):
        yield above
        if above == repository:
            return


def is_there(path: Path) -> bool:
    """Whether there is anything at `path`, be it a link to nothing."""
    return os.path.lexists(path)


def exists(path: Path, inside: Path | None = None) -> bool:
    """Whether there is a file at `path`.

    Raises ProjectError for anything else there, and for a link that leads out of the folder
    `inside`: the repository, unless the caller knows better.
    """
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        if not path.is_symlink():
            return False
        raise _unusable(path, "is a link that leads nowhere") from None
    except (OSError, ValueError) as error:
        raise _unusable(path, f"cannot be read: {_reason(error)}") from error
    if not stat.S_ISREG(mode):
        raise _unusable(path, f"is {_KINDS.get(stat.S_IFMT(mode), 'no file')}, not a file")
    real = path.resolve()
    if real != path and not real.is_relative_to((inside or repository(path.parent)).resolve()):
        raise _unusable(path, "is a link that leads out of the repository")
    return True


def linked_folder(path: Path, repository: Path) -> Path | None:
    """The folder of the repository that the link at `path` leads to, if it leads to one."""
    if not path.is_symlink() or not path.is_dir():
        return None
    real, inside = path.resolve(), repository.resolve()
    return repository / real.relative_to(inside) if real.is_relative_to(inside) else None


def read(path: Path, inside: Path | None = None) -> bytes:
    """The content of the file at `path`.

    Raises as `exists`, and ProjectError where there is none, and for one that is too large.
    """
    if not exists(path, inside):
        raise ProjectError(f"there is no {path.name}", fix="add it")
    try:
        if path.stat().st_size > _MOST_BYTES:
            most = f"{_MOST_BYTES // 2**20} MiB"
            raise ProjectError(f"{path.name} has more than {most}", fix="make it smaller")
        return path.read_bytes()
    except OSError as error:
        raise _unusable(path, f"cannot be read: {_reason(error)}") from error


def digest(path: Path, inside: Path | None = None) -> bytes:
    """The SHA-256 of a file's content. Raises as `read`, but for none that is too large."""
    if not exists(path, inside):
        raise ProjectError(f"there is no {path.name}", fix="add it")
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").digest()
    except OSError as error:
        raise _unusable(path, f"cannot be read: {_reason(error)}") from error


def output(path: Path, of: str) -> bytes:
    """What a command has written to a file of the renderer's own.

    Raises ManifestError for more than Argo CD takes.
    """
    if path.stat().st_size > MOST_OUTPUT:
        raise ManifestError(
            f"{of} wrote more than {MOST_OUTPUT // 2**20} MiB, which Argo CD does not take",
            fix="deliver it by several Applications",
        )
    return path.read_bytes()


def text(path: Path, inside: Path | None = None) -> str:
    """The text of the file at `path`, in UTF-8 or what its byte order mark says.

    Raises as `read`, and ProjectError, with the line, for what is not text in that encoding.
    """
    content = read(path, inside)
    mark = next((mark for mark in _ENCODINGS if content.startswith(mark)), b"")
    encoding = _ENCODINGS.get(mark, "UTF-8")
    content = content.removeprefix(mark)
    try:
        found = content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise _not_text(path, f"line {line} is not {encoding}") from error
    if "\0" in found:
        # What is left of UTF-16 without its mark, or not text at all.
        line = found.count("\n", 0, found.index("\0")) + 1
        raise _not_text(path, f"line {line} holds a NUL character")
    return found


def _reason(error: OSError | ValueError) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error)


def _unusable(path: Path, reason: str) -> ProjectError:
    return ProjectError(
        f"{path.name} {reason}", fix="put the file itself there, readable to all, or remove it"
    )


def _not_text(path: Path, reason: str) -> ProjectError:
    return ProjectError(f"{path.name} is not a text file: {reason}", fix="save it in UTF-8")
