"""A folder of manifests, read as Argo CD's directory source with `recurse` reads one.

Files that end in .yaml, .yml or .json count, in the folder and all folders below it, and those
that hold `+argocd:skip-file-rendering` do not. Source: argo-cd, reposerver/repository,
getObjsFromYAMLOrJSON. Unlike there, folders and files whose names begin with a dot are left
out, and a file that holds anything but Kubernetes objects is refused, not passed over; so is
one of Jsonnet, which would have to run.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from ... import files, kubernetes_yaml
from ...errors import ManifestError, UsageError
from ..entries import Entry, entries_of
from .folder import Folder

_SUFFIXES: Final = (".yaml", ".yml", ".json")
_SKIPPED: Final = b"+argocd:skip-file-rendering"
_FIX: Final = (
    "move the file out of the folder, or mark it with a comment `# +argocd:skip-file-rendering`"
)


def entries(folder: Folder) -> list[Entry]:
    """The objects of all files. Raises ManifestError, naming the file, for anything else."""
    return [entry for path in _files(folder) for entry in _entries(folder, path)]


def _files(folder: Folder) -> Iterator[Path]:
    """Files that count, in a fixed order; folders that are links are not entered."""
    for parent, folders, names in folder.walk(folder.path):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            path = Path(parent, name)
            if name.startswith("."):
                continue
            if path.suffix == ".jsonnet":
                raise UsageError(
                    f"{folder.relative(path)} is Jsonnet, which is not evaluated here",
                    fix="put what it evaluates to there, or move it out of the folder",
                )
            if name.endswith(_SUFFIXES):
                yield path


def _entries(folder: Folder, path: Path) -> Iterator[Entry]:
    name = folder.relative(path)
    folder.require_inside(path)
    text = files.read(path, folder.repository)
    if _SKIPPED not in text:
        yield from entries_of(_documents(name, text), name, _FIX)


def _documents(name: str, text: bytes) -> list[Any]:
    try:
        if name.endswith(".json"):
            return [kubernetes_yaml.parse_json(text)]
        return kubernetes_yaml.parse_all(text)
    except ValueError as error:
        raise ManifestError(f"{name} cannot be read: {error}", fix="correct it") from error
