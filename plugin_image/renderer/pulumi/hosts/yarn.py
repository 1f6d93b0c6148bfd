"""Yarn 3 and 4: which one reads a lock, what it is given, and that it installs what is locked.

Each version writes the lock a little differently: its format, how checksums begin, the patches of
TypeScript that come with Yarn. With `--immutable` it takes no other's. So it may write the lock
anew, in a copy, and what it has installed is compared with what was locked.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from ... import documents
from ...errors import DependencyError

SETTINGS: Final = ".yarnrc.yml"
_KEPT: Final = frozenset(
    {
        "catalog",
        "catalogs",
        "defaultProtocol",
        "enableScripts",
        "enableTransparentWorkspaces",
        "nmHoistingLimits",
        "nmSelfReferences",
        "packageExtensions",
    }
)
"""The settings of what is in `node_modules`, not of where that comes from.
Source: https://yarnpkg.com/configuration/yarnrc."""
_METADATA: Final = re.compile(
    r"^__metadata:\n  version: (?P<format>\d+)\n"
    r"(?:  cacheKey: (?P<key>(?P<archives>\d+)(?:c(?P<level>\d))?)$)?",
    re.MULTILINE,
)
"""What a lock begins with: its format, and that of the archives that its checksums are of."""
_FORMAT: Final = 10
"""That of the Yarn 4 in the image. Those of Yarn 4.0 and newer, from 8 on, are read alike."""
_TOOLS: Final = {"8": "yarn-3", "10": "yarn-berry"}
"""Which Yarn makes archives of which format, with the same checksums."""
_CHECKSUM: Final = re.compile(r"^(  checksum: )([0-9a-f]+)$", re.MULTILINE)
"""One as Yarn 4.0 writes it, without the format."""
_ENTRY: Final = re.compile(
    r"^  resolution: \"(?P<resolution>[^\"]+)\"$(?P<rest>(?:\n .*)*)", re.MULTILINE
)
_CHECKED: Final = re.compile(r"^  checksum: (?:\w+/)?(\w+)$", re.MULTILINE)
_OF_REPOSITORY: Final = re.compile(r"@(?P<protocol>patch|file|link|portal|workspace):[^#]*")
"""What is the repository's, or changed by a patch, and what is behind it is of its content."""


def is_newer(lock: str) -> bool:
    """Whether a lock is not one of Yarn 1."""
    return _METADATA.search(lock) is not None


def tool(lock: str) -> str:
    """The Yarn that reads a lock. Raises DependencyError where none here does."""
    found = _METADATA.search(lock)
    if found is None or found["archives"] not in _TOOLS:
        raise DependencyError(
            "yarn.lock was written by a Yarn older than 3, or by a prerelease of 4",
            fix="upgrade it by `yarn set version stable` and `yarn install`, and commit the lock",
        )
    return _TOOLS[found["archives"]]


def formatted(lock: str) -> str:
    """A lock of Yarn 4 as the Yarn of the image writes it."""
    found = _METADATA.search(lock)
    if found and int(found["format"]) < _FORMAT:
        lock = f"{lock[: found.start('format')]}{_FORMAT}{lock[found.end('format') :]}"
    return _CHECKSUM.sub(rf"\g<1>{found['key']}/\g<2>", lock) if found and found["key"] else lock


def settings(written: str, lock: str) -> str:
    """The settings that Yarn gets: those that count of the repository's, and what the lock says.

    Raises DependencyError for what is no YAML.
    """
    try:
        found: Any = documents.parse(written.encode()) if written.strip() else {}
    except ValueError as error:
        raise DependencyError(f"{SETTINGS} is not YAML: {error}", fix="correct it") from error
    kept = {key: found[key] for key in _KEPT if isinstance(found, dict) and key in found}
    if (metadata := _METADATA.search(lock)) and metadata["key"]:
        # Checksums are of archives, which are compressed as this says.
        kept["compressionLevel"] = metadata["level"] or "mixed"
    return json.dumps(kept)


def refuse_changes(before: str, after: str) -> None:
    """Raise DependencyError where Yarn has installed something else than what was locked."""
    locked, installed = dict(_packages(before)), dict(_packages(after))
    for name in sorted({*locked} ^ {*installed}):
        has, ask = ("lacks", "") if name in installed else ("has", "do not ")
        raise _outdated(f"yarn.lock {has} {name}, which the package.json files {ask}ask for")
    for name, checksum in locked.items():
        if checksum and installed[name] and checksum != installed[name]:
            raise _outdated(f"{name} is not the one whose checksum yarn.lock has")


def _outdated(problem: str) -> DependencyError:
    return DependencyError(problem, fix="write it by `yarn install`, and commit yarn.lock")


def _packages(lock: str) -> Iterator[tuple[str, str | None]]:
    """The packages of a lock that are not of the repository, with their checksums."""
    for entry in _ENTRY.finditer(lock):
        own = _OF_REPOSITORY.search(entry["resolution"])
        checksum = _CHECKED.search(entry["rest"])
        if own is None:
            yield entry["resolution"], checksum and checksum[1]
        elif own["protocol"] != "workspace":
            yield entry["resolution"][: own.end()], None
