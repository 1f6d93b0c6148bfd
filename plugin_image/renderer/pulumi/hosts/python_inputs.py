"""Finds what decides about the packages of a Python program: files of its repository."""

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from ... import files
from ...errors import DependencyError
from .. import dependencies
from . import pyproject, python_locked

_SETTINGS = (pyproject.NAME, "uv.toml")
"""What tells uv of indexes and constraints."""
_LOCAL = re.compile(
    r"""
    ^\s*(?:-(?!-hash) | [./] | [\w.-]+/ | [^\s:@]+\.(?:whl|zip|tar\.\w+)\b)
    | \bfile:
    | @\s*[./]
    """,
    re.MULTILINE | re.VERBOSE,
)
"""Further requirements files, options, and packages in folders, in a requirements.txt."""
_MANIFESTS = {python_locked.PIPFILE: "Pipfile"}
"""What a tool reads beside its lock, where that is not in pyproject.toml."""
_ABSOLUTE = re.compile(
    r"""
    (?: \b(?=file:/)                                   # an absolute URL
      | (?:^|[\s@="']|^\s*-\w) (?=/|~/)                # an absolute path; with its option: -r/x
    ) (?P<path>[^\s"']+)
    """,
    re.MULTILINE | re.VERBOSE,
)
_OF_PROJECT = re.compile(r"\bfile:/{0,3}\$\{PROJECT_ROOT\}")
"""How an address in the project's folder begins, for PDM and uv alike."""
_HASH = re.compile(r"\s+--hash=\w+:\w+\s*(?:\\\s*)?")
"""A line with nothing but the hash of an archive, of which a locked file has a thousand."""
_COMMENT = re.compile(r"(?:^|\s)\#.*$", re.MULTILINE)
_ADDRESS = re.compile(r"""\b(?![\w+]*file:)[a-z][\w+]*://[^\s"']+""")
_FURTHER = re.compile(r"^\s*(?:-[rc]|--requirements?|--constraints?)[\s=]*(\S+)", re.MULTILINE)
"""Requirements files that one names."""
_OPTION = re.compile(r"\s*-(?!e|-editable)")
"""A line with anything else than a package."""
_OF_UV = (
    ("project", "dependencies"),
    ("project", "optional-dependencies"),
    ("dependency-groups",),
    ("build-system", "requires"),
    ("tool", "uv"),
)
"""What uv reads of pyproject.toml to find packages."""


@dataclass(frozen=True)
class Inputs:
    """What decides about the packages of a program."""

    files: list[Path]
    requires_python: str
    """The versions of Python that they are for, as a specifier; empty means any."""


def of(named: Path, repository: Path, *, synced: bool = False) -> Inputs:
    """What decides about the packages that a file names.

    Where it names others, these are all of the project, or of a locked package. `synced` means a
    pyproject.toml that uv locks itself. Raises DependencyError for files outside of the repository.
    """
    root, document = named.parent, _read(named)
    settings = [*_settings(named)]
    found = {named, *settings, *_locked(named, document, repository)}
    outside = set[Path]()
    if named.name == "requirements.txt":
        for file in requirements(named):
            outside |= {file, *_places(file, root, repository)}
        whole = bool(_LOCAL.search(_text(named)))
    else:
        whole = pyproject.installs_itself(named, synced=synced)
    above = pyproject.workspace(root, repository) if synced else None
    if above:
        settings += {*_settings(above / pyproject.NAME)} - found
        found.update(dependencies.project_files(above, repository))
    for path in settings:
        words = list(_words_for_uv(path))
        for word in words:
            outside |= {*_paths(path, word, path.parent, repository)}
        outside |= {*_places_for_uv(path, repository)}
        whole = whole or (named == path and any(map(_is_folder, words)))
    if whole:
        found.update(dependencies.project_files(root, repository))
    found.update(path for place in outside for path in _files(place, repository))
    return Inputs(sorted(found), _requires_python(named, document))


def _settings(named: Path) -> Iterator[Path]:
    """What is read beside a file."""
    for name in (*_SETTINGS, *filter(None, [_MANIFESTS.get(named.name)])):
        if files.exists(path := named.with_name(name)):
            yield path


def _read(named: Path) -> Mapping[str, Any]:
    """What a lock or manifest says; nothing of one that its own tool will report."""
    if named.name == pyproject.NAME:
        return pyproject.table(named)
    if named.name != python_locked.PIPFILE:
        return python_locked.table(named) if named.suffix != ".txt" else {}
    try:
        found = json.loads(files.text(named))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _locked(lock: Path, document: Mapping[str, Any], repository: Path) -> Iterator[Path]:
    """The files that a lock has packages from. Raises DependencyError out of the repository."""
    if lock.name == pyproject.NAME:
        return
    for package, written, is_virtual in python_locked.paths(lock.name, document):
        place = _inside(lock, lock.parent, written, repository, package)
        yield from _files(place / pyproject.NAME if is_virtual else place, repository)


def _requires_python(named: Path, document: Mapping[str, Any]) -> str:
    if named.suffix == ".txt":
        return ""
    project = pyproject.table(named.with_name(pyproject.NAME), "project")
    says = "requires-python"
    requires = document.get(says) or project.get(says)
    return requires if isinstance(requires, str) else ""


def requirements(named: Path) -> Iterator[Path]:
    """A requirements file and those that it names, each before those of its own are looked for."""
    found, unread = set[Path](), [named]
    while unread:
        file = unread.pop()
        if file in found:
            continue
        found.add(file)
        yield file
        words = _FURTHER.findall(_COMMENT.sub("", _text(file)))
        further = (Path(os.path.normpath(file.parent / word)) for word in words)
        unread += [path for path in further if files.exists(path)]


def _text(file: Path) -> str:
    """What a requirements file says, but for the hashes of packages."""
    lines = files.text(file).split("\n")
    return "\n".join(line for line in lines if not _HASH.fullmatch(line))


def _is_folder(word: str) -> bool:
    return word.startswith((".", "file:")) or bool(re.search(r"@\s*(?:\.|file:)", word))


def _files(place: Path, repository: Path) -> list[Path]:
    """The files in a folder, or the file itself."""
    if place.is_dir():
        return dependencies.project_files(place, repository)
    return [place] if files.exists(place) else []


def _places(file: Path, root: Path, repository: Path) -> Iterator[Path]:
    """What the lines of a requirements file name that is not below `root` anyway.

    Options start from the file, and packages from `root`, as for pip. Raises DependencyError out
    of the repository.
    """
    for line in _COMMENT.sub("", _text(file)).splitlines():
        start = file.parent if _OPTION.match(line) else root
        yield from _paths(file, line, start, repository, everything=start != root)


def _paths(
    file: Path, text: str, start: Path, repository: Path, *, everything: bool = False
) -> Iterator[Path]:
    """The paths in a text that lead upwards, or all. Raises DependencyError out of the repository.

    They start from a folder, and `file` is what has the text.
    """
    text = unquote(_ADDRESS.sub("", _OF_PROJECT.sub(".", text)))
    if absolute := _ABSOLUTE.search(text):
        raise _outside(file, absolute["path"])
    for word in re.split(r"""[\s"'@=,;#\[\]]+""", text):
        path = re.sub(r"^(?:-\w|file:)", "", word)
        if path and (everything or ".." in Path(path).parts):
            yield _inside(file, start, path, repository)
        elif _is_link(path, start):
            _inside(file, start, path, repository)


def _is_link(path: str, start: Path) -> bool:
    """Whether a word is a path, and not the name of a package, and a link is on it."""
    return "/" in path and (start / path).resolve() != Path(
        os.path.normpath(start.resolve() / path)
    )


def _inside(file: Path, start: Path, written: str, repository: Path, package: str = "") -> Path:
    """The place that a path leads to. Raises DependencyError out of the repository."""
    place = Path(os.path.normpath(start / written))
    is_relative = not written.startswith(("/", "~/"))
    if not is_relative or not place.resolve().is_relative_to(repository.resolve()):
        raise _outside(file, written, package)
    return place


def _outside(file: Path, written: str, package: str = "") -> DependencyError:
    what = f"{written} for {package}" if package else written
    return DependencyError(
        f"{file.name} names a file outside of the repository: {what}",
        fix="move it into the repository, or publish the package",
    )


def _words_for_uv(path: Path, tables: Sequence[Sequence[str]] = _OF_UV) -> Iterator[str]:
    """The strings in a settings file by which uv finds packages; uv reports what is not TOML."""
    found = pyproject.table(path)
    for keys in tables if path.name == pyproject.NAME else ((),):
        section: Any = found
        for key in keys:
            section = section.get(key) if isinstance(section, dict) else None
        yield from _texts(section)


def _places_for_uv(path: Path, repository: Path) -> Iterator[Path]:
    """The folders and archives beside a settings file that it names for uv, as in `path = "lib"`.

    Raises DependencyError out of the repository.
    """
    for word in _words_for_uv(path, _OF_UV[-1:]):
        place = Path(os.path.normpath(path.parent / word))
        if place != path.parent and place.is_relative_to(path.parent) and files.is_there(place):
            yield _inside(path, path.parent, word, repository)


def _texts(node: Any) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    elif isinstance(node, (dict, list)):
        for part in node.values() if isinstance(node, dict) else node:
            yield from _texts(part)
