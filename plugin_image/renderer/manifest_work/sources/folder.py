"""A folder of the repository, and what kind of source it is."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from plugin_image.renderer.errors import UsageError

MARKERS: Final[Mapping[str, tuple[str, ...]]] = {
    "pulumi": ("Pulumi.yaml", "Pulumi.yml", "Pulumi.json"),
    "kpt": ("Kptfile",),
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

        Where nothing of the kind is known, at a desk, the folder counts as the repository.
        """
        resolved = path.resolve()
        depth = len([part for part in PurePosixPath(source_path).parts if part != "."])
        return cls(resolved, [resolved, *resolved.parents][depth])

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
            if (self.path / name).is_file()
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
        if not path.resolve().is_relative_to(self.repository):
            raise UsageError(
                f"{self.relative(path)} leads out of the repository",
                fix="replace it by what it leads to",
            )

    def require_links_inside(self) -> None:
        """Raise UsageError for a link anywhere in the folder that leads out of the repository."""
        for parent, folders, names in os.walk(self.path):
            for name in sorted([*folders, *names]):
                path = Path(parent, name)
                if path.is_symlink():
                    self.require_inside(path)
