"""A private copy of a package: kpt and its functions never see the Application's folder."""

import os
import stat
from pathlib import Path

from plugin_image.renderer.errors import RefusedError, UsageError
from plugin_image.renderer.kpt import kptfile
from plugin_image.renderer.kpt.functions import Functions

_SUFFIXES = (".yaml", ".yml", ".json")
_NAMES = (kptfile.NAME, ".krmignore")
"""All that kpt reads of a package."""


def copy(root: Path, target: Path, functions: Functions) -> None:
    """Copy what kpt reads of the package in `root`, its functions replaced by executables.

    A link to a file is copied as that file; links to folders are ignored, as kpt does.
    Raises UsageError for a folder without a Kptfile, and RefusedError for a link that
    leaves the repository, and for a function that is not there.
    """
    if not (root / kptfile.NAME).is_file():
        raise UsageError(
            f"there is no {kptfile.NAME} in the folder, so it is no kpt package",
            fix="point the Application's `path` at a package, or make one with `kpt pkg init`",
        )
    repository = _repository(root)
    for folder, folders, files in os.walk(root):
        here = Path(folder)
        folders[:] = sorted(name for name in folders if name != ".git")
        for name in [*folders, *files]:
            _require_inside(here / name, root, repository)
        copied = target / here.relative_to(root)
        copied.mkdir()
        for name in sorted(files):
            if name in _NAMES or name.endswith(_SUFFIXES):
                _copy_file(here / name, copied / name, root, functions)


def _copy_file(source: Path, target: Path, root: Path, functions: Functions) -> None:
    if not stat.S_ISREG(source.stat().st_mode):
        return
    content = source.read_bytes()
    if source.name == kptfile.NAME:
        where = source.relative_to(root).as_posix()
        content = kptfile.with_executables(content, functions, where).encode()
    target.write_bytes(content)


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


def _repository(root: Path) -> Path:
    """The nearest folder with a `.git`; the package itself where there is none."""
    folders = [root, *root.parents]
    return next((folder for folder in folders if (folder / ".git").exists()), root)
