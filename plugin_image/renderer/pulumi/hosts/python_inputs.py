"""Finds what decides about the packages of a Python program: files of its repository."""

import os
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from packaging.utils import canonicalize_name

from ... import files
from ...errors import DependencyError
from .. import dependencies

_SETTINGS = ("pyproject.toml", "uv.toml")
"""What tells uv of indexes and constraints."""
_LOCAL = re.compile(r"^\s*(?:-(?!-hash)|[./]) | \bfile: | @\s*[./]", re.MULTILINE | re.VERBOSE)
"""Further requirements files, options, and packages in folders, in a requirements.txt."""
_LOCKED = re.compile(r'\b(editable|directory|path|virtual)\s=\s"([^"]*)"')
"""A package in a folder, or an archive, in a lock."""
_LOCKED_BY = {
    "poetry.lock": re.compile(r'^type = "(directory|file)"\nurl = "([^"]*)"', re.MULTILINE),
    "Pipfile.lock": re.compile(r'"(path|file)": "(?!\w+://)([^"]*)"'),
}
"""The same in the locks of other tools than uv and those that write a pylock.toml."""
_MANIFESTS = {"Pipfile.lock": "Pipfile"}
"""What a tool reads beside its lock, where that is not in pyproject.toml."""
_ABSOLUTE = re.compile(
    r"""
      \bfile:/                                         # an absolute URL
    | (?:^|[\s@="']|^\s*-\w) (?:/|~/)                  # an absolute path; with its option: -r/x
    """,
    re.MULTILINE | re.VERBOSE,
)
_OF_PROJECT = re.compile(r"\bfile:/{0,3}\$\{PROJECT_ROOT\}")
"""How an address in the project's folder begins, for PDM and uv alike."""
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


def of(named: Path, repository: Path) -> Inputs:
    """What decides about the packages that a file names.

    Where it names others, these are all of the project, or of a locked package. Raises
    DependencyError for files outside of the repository.
    """
    root, text = named.parent, files.text(named)
    beside = [*_SETTINGS, *filter(None, [_MANIFESTS.get(named.name)])]
    settings = [root / name for name in beside if files.exists(root / name)]
    found = {named, *settings}
    if named.name == "requirements.txt":
        outside = {
            place
            for file in requirements(named)
            for place in (file, *_places(file, root, repository))
        }
        if _LOCAL.search(text):
            found.update(dependencies.project_files(root, repository))
    else:
        outside = set()
        locked = _LOCKED_BY.get(named.name, _LOCKED)
        if installs_itself(named):
            found.update(dependencies.project_files(root, repository))
        for kind, path in locked.findall(text) if named.name != "pyproject.toml" else ():
            folder = _inside(named, root / path, repository)
            only = folder / "pyproject.toml" if kind == "virtual" else folder
            found.update(_files(only, repository))
    for path in settings:
        words = list(_words_for_uv(path))
        outside |= {place for word in words for place in _paths(path, word, root, repository)}
        if named == path and any(map(_is_folder, words)):
            found.update(dependencies.project_files(root, repository))
    found.update(path for place in outside for path in _files(place, repository))
    says = "requires-python"
    at_top = {} if named.suffix == ".txt" else table(named)
    requires = at_top.get(says) or table(root / "pyproject.toml", "project").get(says)
    is_heeded = named.suffix != ".txt" and isinstance(requires, str)
    return Inputs(sorted(found), str(requires) if is_heeded else "")


def requirements(named: Path) -> Iterator[Path]:
    """A requirements file and those that it names, each before those of its own are looked for."""
    found, unread = set[Path](), [named]
    while unread:
        file = unread.pop()
        if file in found:
            continue
        found.add(file)
        yield file
        words = _FURTHER.findall(_COMMENT.sub("", files.text(file)))
        further = (Path(os.path.normpath(file.parent / word)) for word in words)
        unread += [path for path in further if files.exists(path)]


def installs_itself(lock: Path) -> bool:
    """Whether the tool of a lock installs the project that it is of, too, as a package."""
    manifest = lock.with_name("pyproject.toml")
    if lock.name == "pdm.lock":
        return _is_distribution(manifest)
    return lock.name == "poetry.lock" and _is_package(manifest)


def _is_distribution(manifest: Path) -> bool:
    """Whether PDM does so. Source: pdm, `src/pdm/project/core.py`, is_distribution."""
    settings = table(manifest, "tool", "pdm")
    if not table(manifest, "project").get("name"):
        return False
    if "package-type" in settings:
        return bool(settings["package-type"] == "library")
    return bool(settings.get("distribution", True))


def _is_package(manifest: Path) -> bool:
    """Whether Poetry does so, and not without there being anything, as before its version 2.

    Source: poetry-core, `src/poetry/core/masonry/utils/module.py`.
    """
    settings = table(manifest, "tool", "poetry")
    name = table(manifest, "project").get("name") or settings.get("name")
    is_built = settings.get("package-mode", True) and table(manifest, "build-system")
    if not is_built or not isinstance(name, str):
        return False
    module = canonicalize_name(name).replace("-", "_")
    found = (manifest.parent / below / module for below in ("", "src"))
    return bool(settings.get("packages")) or any(
        place.is_dir() or files.is_there(place.with_suffix(".py")) for place in found
    )


def table(path: Path, *keys: str) -> dict[str, Any]:
    """A table of a TOML file; empty where there is none, and of what uv will report as no TOML."""
    try:
        found: Any = tomllib.loads(files.text(path)) if files.exists(path) else {}
    except tomllib.TOMLDecodeError:
        return {}
    for key in keys:
        found = found.get(key) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else {}


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
    for line in _COMMENT.sub("", files.text(file)).splitlines():
        start = file.parent if _OPTION.match(line) else root
        yield from _paths(file, line, start, repository, everything=start != root)


def _paths(
    file: Path, text: str, start: Path, repository: Path, *, everything: bool = False
) -> Iterator[Path]:
    """The paths in a text that lead upwards, or all. Raises DependencyError out of the repository.

    They start from a folder, and `file` is what has the text.
    """
    text = unquote(_ADDRESS.sub("", _OF_PROJECT.sub(".", text)))
    if _ABSOLUTE.search(text):
        raise _outside(file)
    for word in re.split(r"""[\s"'@=,;#\[\]]+""", text):
        path = re.sub(r"^(?:-\w|file:)", "", word)
        if path and (everything or ".." in Path(path).parts):
            yield _inside(file, start / path, repository)


def _inside(file: Path, path: Path, repository: Path) -> Path:
    place = Path(os.path.normpath(path))
    if not place.resolve().is_relative_to(repository.resolve()):
        raise _outside(file)
    return place


def _outside(file: Path) -> DependencyError:
    return DependencyError(
        f"{file.name} names a file outside of the repository",
        fix="move it into the repository, or publish the package",
    )


def _words_for_uv(path: Path) -> Iterator[str]:
    """The strings in a settings file by which uv finds packages; uv reports what is not TOML."""
    found = table(path)
    for keys in _OF_UV if path.name == "pyproject.toml" else ((),):
        section: Any = found
        for key in keys:
            section = section.get(key) if isinstance(section, dict) else None
        yield from _texts(section)


def _texts(node: Any) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    elif isinstance(node, (dict, list)):
        for part in node.values() if isinstance(node, dict) else node:
            yield from _texts(part)
