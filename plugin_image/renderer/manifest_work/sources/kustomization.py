"""What kustomizations name: all of it must lie in the repository.

kustomize itself keeps files below the folder that names them, but neither bases and components
nor addresses, and a proxy that leads nowhere does not keep it from this machine. Plugins and
functions, which run programs, it only runs when it is told to. Source: kustomize, api/types,
kustomization.go, and api/internal/target, kusttarget.go.
"""

import re
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from ... import files, kubernetes_yaml
from ...errors import ManifestError, RefusedError
from .folder import MARKERS, Folder

_FIELDS: Final = frozenset(
    {
        "bases",
        "components",
        "configmapgenerator",
        "configurations",
        "crds",
        "generators",
        "openapi",
        "patches",
        "patchesjson6902",
        "patchesstrategicmerge",
        "replacements",
        "resources",
        "secretgenerator",
        "transformers",
        "validators",
    }
)
_PARTS: Final = frozenset({"path", "paths", "files", "envs", "env"})
"""What names files in an item of one of these fields, and in a builtin generator or transformer."""
_ADDRESS: Final = re.compile(r"\s*https?:|[^\s{]*://", re.IGNORECASE)


def require_local(folder: Folder) -> None:
    """Raise RefusedError for an address, and UsageError for a path that leaves the repository.

    Bases and components are looked into, wherever they are.
    """
    pending, seen = [folder.path], {folder.path}
    while pending:
        here = pending.pop()
        for name, word in _named_in(folder, here):
            _require_no_address(name, word)
            if not _inline(word):
                found = _inside(folder, here, word)
                if stat.S_ISDIR(_mode(found)) and found not in seen:
                    pending.append(found)
                    seen.add(found)


def _named_in(folder: Folder, here: Path) -> Iterator[tuple[str, str]]:
    """What the kustomization of a folder names, each with the file that does."""
    for path in (here / file for file in MARKERS["kustomize"]):
        if files.exists(path, folder.repository):
            folder.require_inside(path)
            name = folder.relative(path)
            for document in _parsed(files.read(path, folder.repository), name):
                for word in _words(document):
                    yield name, word
                    yield from ((name, inner) for inner in _builtin(_inline(word)))
                    yield from _of_file(folder, here / word)


def _of_file(folder: Folder, path: Path) -> Iterator[tuple[str, str]]:
    """What a file's builtin generators and transformers name, which is below their folder."""
    if stat.S_ISREG(_mode(path)):
        folder.require_inside(path)
        text, name = files.read(path, folder.repository), folder.relative(path)
        if b"builtin" in text:
            yield from ((name, word) for word in _builtin(_parsed(text, name)))


def _mode(path: Path) -> int:
    """What kind of file this is; none where an object stands instead of a path."""
    try:
        return path.stat().st_mode
    except (OSError, ValueError):
        return 0


def _words(document: Any) -> Iterator[str]:
    """Go matches field names regardless of case."""
    for key, value in document.items() if isinstance(document, dict) else ():
        if key.casefold() in _FIELDS:
            for item in value if isinstance(value, list) else [value]:
                yield from [item] if isinstance(item, str) else _parts(item)


def _parts(node: Any) -> Iterator[str]:
    if isinstance(node, list):
        for item in node:
            yield from _parts(item)
    elif isinstance(node, dict):
        for key, value in node.items():
            named = value if isinstance(value, list) else [value]
            if key.casefold() in _PARTS:
                yield from (word for word in named if isinstance(word, str))
            yield from _parts(value)


def _builtin(documents: Sequence[Any]) -> Iterator[str]:
    for document in documents:
        if isinstance(document, dict) and document.get("apiVersion") == "builtin":
            yield from _parts(document)


def _inline(word: str) -> list[Any]:
    """The objects that stand there instead of a path."""
    try:
        documents = kubernetes_yaml.parse_all(word.encode())
    except ValueError:
        return []
    return documents if all(isinstance(document, dict) for document in documents) else []


def _inside(folder: Folder, here: Path, word: str) -> Path:
    """Where `word` leads; it need not exist: kustomize reports that."""
    if "\0" in word:
        raise ManifestError(f"{word!r} in a kustomization is not a path", fix="correct it")
    # The file of a generator may get another name: name=path.
    for path in (here / word, here / word.rpartition("=")[2]):
        folder.require_inside(path)
        if _mode(path) and not path.is_dir():
            files.exists(path, folder.repository)
    return (here / word).resolve()


def _require_no_address(name: str, word: str) -> None:
    if _ADDRESS.match(word):
        raise RefusedError(
            f"{name} names {word}, and a render has no network",
            fix="put what is there into the repository",
        )


def _parsed(text: bytes, name: str) -> list[Any]:
    try:
        return kubernetes_yaml.parse_all(text)
    except ValueError as error:
        raise ManifestError(f"{name} cannot be read: {error}", fix="correct it") from error
