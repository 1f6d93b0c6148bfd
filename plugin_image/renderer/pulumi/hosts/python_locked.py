"""What locks of Python's tools have from a path: packages in folders, archives, indexes, clones.

Sources: uv, `crates/uv-resolver/src/lock/mod.rs`; poetry, `src/poetry/packages/locker.py`; and
https://packaging.python.org/en/latest/specifications/pylock-toml.
"""

import functools
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import unquote

from ... import files

PIPFILE: Final = "Pipfile.lock"
_PATHS: Final = frozenset({"editable", "directory", "path", "virtual"})
_ADDRESSES: Final = frozenset({"url", "git", "hg", "svn", "bzr", "registry"})
"""Where a package is from, as an address or as a path."""
_OF_PIPENV: Final = frozenset({"file"})
"""One more of these, which in other locks is the name of an archive in an index."""
_FILE: Final = re.compile(r"(?:\w+\+)?file:(?://(?:localhost)?(?=[/$]))?")
_SCHEME: Final = re.compile(r"[\w.+@-]+:")
"""How any other address begins, also one of SSH: `https:`, `git@github.com:`."""
_OF_PROJECT: Final = re.compile(r"^/*\$\{PROJECT_ROOT\}/*")
_ARCHIVE: Final = re.compile(
    r"""
    \s* (?: sdist\ =\  )? \{\ ?
    (?: url\ =\ "https?://[^"\\]*" | file\ =\ "[\w.+!-]+" ), \ hash\ =\ "\w+:\w+"
    (?: ,\ size\ =\ \d+ )? (?: ,\ upload-time\ =\ "[\w:.+-]+" )?
    \ ?\},?\s*
    """,
    re.VERBOSE,
)
"""A line with nothing but an archive of an index, of which a lock has a thousand."""


class Named(NamedTuple):
    """What a lock has from a path."""

    package: str
    path: str
    """As it is written, from the folder of the lock."""
    is_virtual: bool
    """Whether nothing of the folder is installed but what its manifest asks for."""


def table(lock: Path) -> Mapping[str, Any]:
    """What a lock in TOML says, but for the archives of indexes and their hashes.

    To read these, too, would take half the time of a small program's render. It says nothing
    where it is no TOML.
    """
    return _read(files.text(lock))


@functools.lru_cache(maxsize=1)
def _read(text: str) -> Mapping[str, Any]:
    lines = text.split("\n")
    try:
        return tomllib.loads("\n".join(line for line in lines if not _ARCHIVE.fullmatch(line)))
    except tomllib.TOMLDecodeError:
        return {}


def paths(name: str, lock: Mapping[str, Any]) -> Iterator[Named]:
    """Each path that the lock of that name has, with the package that is there."""
    addresses = _ADDRESSES | _OF_PIPENV if name == PIPFILE else _ADDRESSES
    for package, entry in _packages(name, lock):
        for named, key, value in _texts(package, entry):
            if path := value if key in _PATHS else _local(value) if key in addresses else "":
                yield Named(named, _OF_PROJECT.sub("./", path), key == "virtual")


def _packages(name: str, lock: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The packages of a lock, by their names where these are not in them."""
    for key, section in lock.items():
        if name == PIPFILE and isinstance(section, dict):
            yield from section.items()
        else:
            yield key, section


def _texts(package: str, node: Any) -> Iterator[tuple[str, str, str]]:
    """What is written in a package and below it, with its name and the keys."""
    if isinstance(node, list):
        for part in node:
            yield from _texts(package, part)
    elif isinstance(node, dict):
        package = str(node.get("name", package))
        for key, value in node.items():
            if isinstance(value, str):
                yield package, key, value
            else:
                yield from _texts(package, value)


def _local(address: str) -> str:
    """The path that an address is or names; nothing for another one."""
    if found := _FILE.match(address):
        return unquote(address[found.end() :].partition("#")[0])
    return "" if _SCHEME.match(address) else address
