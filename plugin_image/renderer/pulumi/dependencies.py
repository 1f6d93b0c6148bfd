"""What decides about a program's dependencies: files of its project."""

import shutil
from collections.abc import Iterable
from pathlib import Path

from .. import files
from ..errors import DependencyError


def project_files(root: Path) -> list[Path]:
    """Every file of the project but those of Git, in a fixed order.

    What a link finds outside of the repository, like the machine's interpreter, is left out.
    """
    inside = files.repository(root).resolve()
    found = (
        path
        for path in sorted(root.rglob("*"))
        if path.is_file() and (not path.is_symlink() or path.resolve().is_relative_to(inside))
    )
    return [path for path in found if path.relative_to(root).parts[0] != ".git"]


def copied(paths: Iterable[Path], root: Path, folder: Path) -> Path:
    """The folder, with copies of these files of `root` at their places."""
    for path in paths:
        copy = folder / path.relative_to(root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
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
