"""What decides about a program's dependencies: files of its project, and of what links lead to."""

import os
import shutil
import stat
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from .. import files
from ..errors import DependencyError


def project_files(root: Path, repository: Path, *, without: Collection[str] = ()) -> list[Path]:
    """Every file in a folder, the links to folders in it, and all that is in these, in order.

    What Git has for itself is left out, like what has one of the names `without`, and what links
    find outside of the repository, like the machine's interpreter. A folder is looked through
    once, however many links lead there: so none lead around in circles.
    """
    passed_over, found = {".git", *without}, set[Path]()
    waiting, walked = [root], set[Path]()
    while waiting:
        folder = waiting.pop()
        if any(folder.is_relative_to(above) for above in walked):
            continue
        walked.add(folder)
        for path in _entries(folder, repository, passed_over):
            found.add(path)
            waiting += filter(None, [files.linked_folder(path, repository)])
    return sorted(found)


def _entries(folder: Path, repository: Path, passed_over: Collection[str]) -> Iterator[Path]:
    """The files in a folder and the links in it, but those that lead out of the repository."""
    inside = repository.resolve()
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in passed_over]
        links = [name for name in folders if Path(place, name).is_symlink()]
        for path in (Path(place, name) for name in (*links, *names) if name not in passed_over):
            is_here = not path.is_symlink() or path.resolve().is_relative_to(inside)
            if is_here and (path.is_file() or path.is_dir()):
                yield path


def base(paths: Iterable[Path], repository: Path) -> Path:
    """The folder that all of these are in, and so are the folders that links among them lead to."""
    given = list(paths)
    linked = filter(None, (files.linked_folder(path, repository) for path in given))
    return Path(os.path.commonpath([*(path.parent for path in given), *linked]))


def copied(paths: Iterable[Path], root: Path, folder: Path) -> Path:
    """The folder, with copies of these files of `root` at their places, and links to folders."""
    for path in paths:
        copy = folder / path.relative_to(root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        if to := files.linked_folder(path, root):
            copy.symlink_to(os.path.relpath(to, path.parent))
        else:
            shutil.copyfile(path, copy)
            # A checksum may be of modes, too.
            copy.chmod(path.stat().st_mode | stat.S_IRUSR | stat.S_IWUSR)
    return folder


def without_lock(file: str, section: str, command: str) -> DependencyError:
    """The refusal of packages that only their own tool could resolve."""
    return DependencyError(
        f"{section} in {file} asks for packages, and there is no lock of them",
        fix=f"commit what `{command}` writes",
    )


def other_lock(name: str, instead: str) -> DependencyError:
    """The refusal of a program that is locked by a tool whose lock is not read here."""
    return DependencyError(
        f"dependencies locked by {name} alone cannot be installed", fix=f"commit {instead}"
    )
