"""The names of files and bases in kustomizations, all of which must lie in the repository.

kustomize keeps files below the folder that names them, but neither bases and components
nor addresses, and a proxy that leads nowhere does not keep it from this machine. Plugins and
functions, which run programs, are off by default. Source: kustomize, api/types,
kustomization.go; api/internal/target, kusttarget.go; api/internal/builtins.
"""

import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ... import files, kubernetes_yaml
from ...errors import ManifestError, RefusedError
from .folder import MARKERS, Folder

_PLUGINS: Final = frozenset({"generators", "transformers", "validators"})
"""Fields that list objects, each as a text or in a file or kustomization."""
_BASES: Final = frozenset({"bases", "components", "resources"})
_PATHS: Final = _PLUGINS | _BASES | {"configurations", "crds", "patchesstrategicmerge"}
"""Fields that list paths."""
_PATH: Final = frozenset({"path"})
_SOURCES: Final = frozenset({"env", "envs", "files"})
_ITEMS: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(("configmapgenerator", "secretgenerator"), _SOURCES),
    **dict.fromkeys(("openapi", "patches", "patchesjson6902", "replacements"), _PATH),
}
"""Fields that hold objects, and which fields of these name files."""
_BUILTIN: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(("ConfigMapGenerator", "SecretGenerator"), _SOURCES),
    **dict.fromkeys(("PatchJson6902Transformer", "PatchTransformer"), _PATH),
    "HelmChartInflationGenerator": frozenset({"additionalvaluesfiles", "valuesfile"}),
    "PatchStrategicMergeTransformer": frozenset({"paths"}),
    "ValueAddTransformer": frozenset({"targetfilepath"}),
}
"""Which fields of builtin generators and transformers name files, by kind."""
_INLINE: Final = _PLUGINS | {"patches", "patchesstrategicmerge", "paths"}
"""Fields in which an object may stand in place of a path."""
_ADDRESS: Final = re.compile(r"\s*https?:|[^\s{]*://", re.IGNORECASE)


@dataclass(frozen=True)
class _Named:
    """A word that a kustomization or one of its plugins has for a path."""

    file: str
    """The file that has it, as messages name it."""
    here: Path
    """The folder in which the path begins."""
    field: str
    word: str


@dataclass(frozen=True)
class _Target:
    """A folder with a kustomization."""

    folder: Path
    plugins_of: Path | None = None
    """The folder whose plugins its resources are, if they are: it is where their paths begin."""


def require_local(folder: Folder) -> None:
    """Raise RefusedError for an address, and UsageError for a path that leaves the repository.

    Bases and components are looked into, wherever they are.
    """
    pending = [_Target(folder.path)]
    visited = {*pending}
    while pending:
        target = pending.pop()
        for named in _named_in(folder, target):
            _require_no_address(named)
            if named.field in _INLINE and _objects(named.word):
                continue
            found = _inside(folder, named)
            below = _Target(found, _plugins_of(target, named.field))
            if stat.S_ISDIR(_mode(found)) and below not in visited:
                pending.append(below)
                visited.add(below)


def _plugins_of(target: _Target, field: str) -> Path | None:
    return target.folder if field in _PLUGINS else target.plugins_of


def _named_in(folder: Folder, target: _Target) -> Iterator[_Named]:
    """Yield the words of a folder's kustomization, and those of the plugins that it names."""
    for path in (target.folder / file for file in MARKERS["kustomize"]):
        if files.exists(path, folder.repository):
            folder.require_inside(path)
            file = folder.relative(path)
            for document in _parsed(files.read(path, folder.repository), file):
                for field, word in _words(document):
                    named = _Named(file, target.folder, field, word)
                    yield named
                    plugins_of = _plugins_of(target, field)
                    if plugins_of and field in _PLUGINS | _BASES:
                        yield from _of_plugins(folder, named, plugins_of)


def _of_plugins(folder: Folder, named: _Named, here: Path) -> Iterator[_Named]:
    """Yield the words of the plugins that stand in place of a path, or in the file there."""
    documents, file = _objects(named.word), named.file
    path = named.here / named.word
    if not documents and stat.S_ISREG(_mode(path)):
        folder.require_inside(path)
        file = folder.relative(path)
        documents = _parsed(files.read(path, folder.repository), file)
    for document in documents:
        if isinstance(document, dict) and document.get("apiVersion") == "builtin":
            for field, word in _words_of_builtin(document):
                yield _Named(file, here, field, word)


def _words(document: Any) -> Iterator[tuple[str, str]]:
    """Yield field and word; Go matches names of fields regardless of case."""
    for key, value in document.items() if isinstance(document, dict) else ():
        field = key.casefold()
        if field in _PATHS or field in _ITEMS:
            for item in value if isinstance(value, list) else [value]:
                if isinstance(item, str):
                    yield field, item
                elif isinstance(item, dict):
                    yield from _fields(item, _ITEMS.get(field, frozenset()))


def _words_of_builtin(plugin: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield field and word of a builtin generator or transformer."""
    kind = plugin.get("kind")
    yield from _fields(plugin, _BUILTIN.get(str(kind), frozenset()))
    if kind == "ReplacementTransformer":
        replacements = plugin.get("replacements")
        for item in replacements if isinstance(replacements, list) else ():
            if isinstance(item, dict):
                yield from _fields(item, _PATH)


def _fields(node: Mapping[str, Any], names: frozenset[str]) -> Iterator[tuple[str, str]]:
    for key, value in node.items():
        if key.casefold() in names:
            words = value if isinstance(value, list) else [value]
            yield from ((key.casefold(), word) for word in words if isinstance(word, str))


def _objects(word: str) -> list[Any]:
    """Return the objects that stand in place of a path; kustomize tries this first, too."""
    try:
        documents = kubernetes_yaml.parse_all(word.encode())
    except ValueError:
        return []
    is_all = all(isinstance(document, dict) and document.get("kind") for document in documents)
    return documents if is_all else []


def _inside(folder: Folder, named: _Named) -> Path:
    """Return the path for a word; it need not exist: kustomize reports that."""
    here, word = named.here, named.word
    if "\0" in word:
        raise ManifestError(f"{word!r} in a kustomization is not a path", fix="correct it")
    # The file of a generator may get another name: name=path.
    for path in (here / word, here / word.rpartition("=")[2]):
        folder.require_inside(path)
        if _mode(path) and not path.is_dir():
            files.exists(path, folder.repository)
    return (here / word).resolve()


def _mode(path: Path) -> int:
    """Return the mode of the file; 0 if there is none, as for an object in place of a path."""
    try:
        return path.stat().st_mode
    except (OSError, ValueError):
        return 0


def _require_no_address(named: _Named) -> None:
    if _ADDRESS.match(named.word):
        raise RefusedError(
            f"{named.file} names {named.word}, and a render has no network",
            fix="put what is there into the repository",
        )


def _parsed(text: bytes, name: str) -> list[Any]:
    try:
        return kubernetes_yaml.parse_all(text)
    except ValueError as error:
        raise ManifestError(f"{name} cannot be read: {error}", fix="correct it") from error
