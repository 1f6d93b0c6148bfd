"""A folder of the repository, and what kind of source it is."""

import os
import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from ... import files
from ...errors import UsageError
from ...kpt.renderer import KPT
from ...pulumi.renderer import PULUMI

MARKERS: Final[Mapping[str, tuple[str, ...]]] = {
    "pulumi": PULUMI.markers,
    "kpt": KPT.markers,
    "helm": ("Chart.yaml",),
    "kustomize": ("kustomization.yaml", "kustomization.yml", "Kustomization"),
}
"""Files that say what a folder is, by source."""


@dataclass(frozen=True)
class Folder:
    """An Application's folder, and the repository that it may not point out of."""

    path: Path
    repository: Path

    @classmethod
    def of(cls, path: Path, source_path: str) -> "Folder":
        """The folder at `path`, which is `source_path` in its repository.

        Where that is not so, as locally, or where a part of the repository was sent, it is in what
        `files.repository` finds.
        """
        resolved = path.resolve()
        parts = PurePosixPath(posixpath.normpath(source_path)).parts
        fits = source_path and resolved.parts[len(resolved.parts) - len(parts) :] == parts
        above = [resolved, *resolved.parents]
        return cls(resolved, above[len(parts)] if fits else files.repository(resolved))

    def kind(self, asked: str) -> str:
        """The source that is asked for; for `auto` what the markers say.

        Raises UsageError when they say two things.
        """
        if asked != "auto":
            return asked
        found = {
            source: name
            for source, names in MARKERS.items()
            for name in reversed(names)
            if files.exists(self.path / name, self.repository)
        }
        if len(found) > 1:
            raise UsageError(
                f"the folder has {' and '.join(found.values())}",
                fix=f"set the plugin parameter `source` to {' or '.join(found)}",
            )
        return next(iter(found), "directory")

    def relative(self, path: Path) -> str:
        """`path` as messages name it."""
        return Path(os.path.relpath(path, self.path)).as_posix()

    def require_inside(self, path: Path) -> None:
        """Raise UsageError for a path that leads out of the repository."""
        try:
            target = path.resolve()
        except RuntimeError as error:
            raise UsageError(
                f"{self.relative(path)} is a link that leads in a circle", fix="remove it"
            ) from error
        if not target.is_relative_to(self.repository):
            raise UsageError(
                f"{self.relative(path)} leads out of the repository",
                fix="replace it by what it leads to",
            )

    def require_links_inside(self) -> None:
        """Raise UsageError for a link that leads out of the repository.

        It may be anywhere in the folder, and in folders that links lead to.
        """
        seen: set[Path] = set()
        pending = [self.path]
        while pending:
            for parent, folders, names in self.walk(pending.pop()):
                for name in [*folders, *names]:
                    path = Path(parent, name)
                    if path.is_symlink():
                        self.require_inside(path)
                        target = path.resolve()
                        if target.is_dir() and target not in seen:
                            pending.append(target)
                            seen.add(target)

    def walk(self, top: Path) -> Iterator[tuple[str, list[str], list[str]]]:
        """As `os.walk`, in a fixed order. Raises UsageError for a folder that cannot be read."""
        for parent, folders, names in os.walk(top, onerror=self._refuse):
            folders.sort()
            yield parent, folders, sorted(names)

    def _refuse(self, error: OSError) -> None:
        raise UsageError(
            f"{self.relative(Path(error.filename))} cannot be read: {error.strerror}",
            fix="remove it",
        ) from error
