"""A private copy of a package: kpt and its functions never see the Application's folder."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

from .. import files
from ..errors import RefusedError, UsageError
from . import kptfile, pieces
from .functions import Functions

_SUFFIXES = (".yaml", ".yml", ".json")
_NAMES = (kptfile.NAME, ".krmignore")
"""All that kpt reads of a package."""

_BROKEN = b"{"
"""What kpt fails on when it reads it."""


def copy(root: Path, target: Path, functions: Functions) -> Mapping[str, str]:
    """Copy what kpt reads of the package in `root`, its functions replaced by executables.

    A link to a file is copied as that file; links to folders are ignored, as kpt does.
    Returns the files that kpt would not read to their end, each with the reason. Only kpt
    knows whether it ignores them, so their copies are such that kpt fails if it does not.
    Raises UsageError for a folder without a Kptfile, ProjectError for what is not a readable
    file, and RefusedError for a folder that cannot, for a link that leaves the repository,
    and for a function that is not there.
    """
    if not files.exists(root / kptfile.NAME):
        raise UsageError(
            f"there is no {kptfile.NAME} in the folder, so it is not a kpt package",
            fix="point the Application's `path` at a package, or make one with `kpt pkg init`",
        )
    repository = files.repository(root)
    doubtful = {}
    for folder, folders, names in os.walk(root, onerror=_refuse_unreadable):
        here = Path(folder)
        folders[:] = sorted(name for name in folders if name != ".git")
        if kptfile.NAME in folders:
            raise RefusedError(
                f"{(here / kptfile.NAME).relative_to(root)} is a folder, or a link to one",
                fix="put the file itself there",
            )
        for name in [*folders, *names]:
            _require_inside(here / name, root, repository)
        copied = target / here.relative_to(root)
        copied.mkdir()
        for name in sorted(names):
            if name in _NAMES or name.endswith(_SUFFIXES):
                where = (here / name).relative_to(root).as_posix()
                content = files.read(here / name, repository)
                reason = _copy(content, copied / name, where, functions)
                if reason:
                    doubtful[where] = reason
    return doubtful


def _copy(content: bytes, target: Path, where: str, functions: Functions) -> str:
    """Copy a file's content; returns why kpt would not read it to its end."""
    reason = ""
    if target.name == kptfile.NAME:
        content = kptfile.with_executables(content, functions, where).encode()
    elif target.name.endswith(_SUFFIXES):
        reason = pieces.unread(content)
    target.write_bytes(_BROKEN if reason else content)
    return reason


def _refuse_unreadable(error: OSError) -> NoReturn:
    raise RefusedError(
        f"{error.filename} of the package cannot be read: {error.strerror}",
        fix="correct its permissions in the repository",
    ) from error


def _require_inside(path: Path, root: Path, repository: Path) -> None:
    if not path.is_symlink():
        return
    name = path.relative_to(root).as_posix()
    try:
        real = path.resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise RefusedError(f"the link {name} points to nothing", fix="remove it") from error
    if not real.is_relative_to(repository):
        raise RefusedError(
            f"the link {name} leaves the repository", fix="put the file itself into the repository"
        )
