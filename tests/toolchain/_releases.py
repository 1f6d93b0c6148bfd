"""The releases that real parts are downloaded from, pinned by version and checksum."""

import json
import os
import platform
import re
import shutil
import tarfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar
from urllib.parse import urlsplit

from tests.toolchain import _download
from tests.toolchain._download import DownloadError
from tests.toolchain._errors import ToolchainError

__all__ = ["RELEASES_VARIABLE", "TABLE", "DownloadError", "File", "Release", "obtain", "table"]

RELEASES_VARIABLE = "ARGOCD_PULUMI_PLUGIN_RELEASES"
"""Names a table to use instead of `releases.json`: that of a company's mirror, for example.

With `none`, nothing is downloaded, and everything is built from source.
"""

TABLE = Path(__file__).with_name("releases.json")
"""Releases by platform and name. Nothing is downloaded without a checksum: one that is still
empty is for `python -m tests.toolchain.lock_releases` to fill in."""

_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128}|")

_T = TypeVar("_T")


@dataclass(frozen=True)
class File:
    """What is behind one address."""

    url: str
    digest: str
    """`sha256:` or `sha512:` and its digits."""
    parts: Mapping[str, str]
    """Members of the archive by part. A file that is no archive has one part, without a member.

    What stands before a slash is a part that is a folder of several files.
    """


@dataclass(frozen=True)
class Release:
    """Parts that are published together."""

    name: str
    version: str
    files: tuple[File, ...]

    @property
    def parts(self) -> frozenset[str]:
        """Everything that it has, by name."""
        return frozenset(part.partition("/")[0] for file in self.files for part in file.parts)


def table() -> Mapping[str, Release]:
    """Return the release that each part comes from on this machine.

    There are none but for Linux on amd64 and arm64. Raises ToolchainError when the table
    cannot be read or is not valid.
    """
    chosen = os.environ.get(RELEASES_VARIABLE)
    if chosen == "none":
        return {}
    releases = read(Path(chosen) if chosen else TABLE).get(this_platform(), ())
    return {
        part: release
        for release in releases
        if all(file.digest for file in release.files)
        for part in release.parts
    }


def this_platform() -> str:
    """Return the name that this machine's releases have in the table."""
    machine = platform.machine()
    return f"{platform.system().lower()}-{_ARCHITECTURES.get(machine, machine)}"


def obtain(
    release: Release,
    folder: Path,
    *,
    downloads: Path,
    patience: float,
    advanced: Callable[[float], None],
) -> None:
    """Fill `folder` with a release's parts, executable, and with nothing else.

    Nothing is unpacked before its checksum is known to be right. What came of an unfinished
    download stays in `downloads`, for the next time; nobody else may obtain the same release
    there meanwhile. `patience` says how many seconds it takes to build the parts instead.
    `advanced` hears several times a second which share is there, from 0 to 1, also while
    nothing comes; what it raises ends the download. Raises DownloadError.
    """
    downloads.mkdir(parents=True, exist_ok=True)
    name = f"{release.name} {release.version}"
    for number, file in enumerate(release.files):

        def advanced_of_all(share: float, before: int = number) -> None:
            advanced((before + share) / len(release.files))

        target = downloads / f"{release.name}-{file.digest.partition(':')[2][:16]}"
        _download.fetch(
            name, file.url, file.digest, target, patience=patience, advanced=advanced_of_all
        )
        try:
            _take(target, file.parts, folder)
        except (ValueError, tarfile.TarError, zlib.error, EOFError) as error:
            target.unlink()
            raise _download.failure(name, file.url, str(error)) from error
        target.unlink(missing_ok=True)


def _take(file: Path, parts: Mapping[str, str], folder: Path) -> None:
    """Move parts to their places. Raises ValueError, and what a broken archive raises."""
    if "" in parts.values():
        place = _place(folder, *parts)
        shutil.move(file, place)
        place.chmod(0o755)
        return
    missing = {PurePosixPath(member): part for part, member in parts.items()}
    with tarfile.open(file, "r|*") as archive:
        for member in archive:
            # Anything but a plain file could lead out of the folder.
            if member.isreg() and (part := missing.pop(PurePosixPath(member.name), None)):
                _copy(archive, member, _place(folder, part))
            if not missing:
                return
    raise ValueError(f"its archive has no plain file {', '.join(map(str, missing))}")


def _copy(archive: tarfile.TarFile, member: tarfile.TarInfo, place: Path) -> None:
    content = archive.extractfile(member)
    assert content
    with place.open("wb") as file:
        shutil.copyfileobj(content, file, 1 << 20)
    place.chmod(0o755)


def _place(folder: Path, part: str) -> Path:
    place = folder / part
    place.parent.mkdir(parents=True, exist_ok=True)
    return place


def read(path: Path) -> Mapping[str, tuple[Release, ...]]:
    """Read a table: the releases by platform. Raises ToolchainError."""
    fix = f"Correct it, or unset {RELEASES_VARIABLE} for the table that comes with the tests."
    try:
        content = _of({"table": json.loads(path.read_text())}, "table", dict)
        return {
            name: tuple(_release(*item) for item in _of(content, name, dict).items())
            for name in content
        }
    except OSError as error:
        raise ToolchainError(f"{path} cannot be read: {error.strerror}. {fix}") from error
    except ValueError as error:
        raise ToolchainError(f"{path} is no table of releases: {error}. {fix}") from error


def _release(name: str, record: Any) -> Release:
    try:
        files = tuple(_file(file) for file in _of(record, "files", list))
        return Release(name, _of(record, "version", str), files)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def _file(record: Any) -> File:
    file = File(_of(record, "url", str), _of(record, "digest", str), _of(record, "parts", dict))
    if urlsplit(file.url).scheme not in {"http", "https"} or not urlsplit(file.url).netloc:
        raise ValueError(f"url must begin with https:// and a host, and is {file.url!r}")
    if not _DIGEST.fullmatch(file.digest):
        raise ValueError(f"digest must be sha256:… or sha512:…, and is {file.digest!r}")
    for part in file.parts:
        member = _of(file.parts, part, str)
        if not part or part.startswith("/") or ".." in part.split("/"):
            raise ValueError(f"parts must lie in a folder, and {part!r} does not")
        if not member and len(file.parts) > 1:
            raise ValueError(f"{part} needs a member, because it is not the only part")
    return file


def _of(record: Any, key: str, kind: type[_T]) -> _T:
    value = record.get(key) if isinstance(record, dict) else None
    if not isinstance(value, kind):
        raise ValueError(f"{key} is missing, or of another type than in {TABLE.name}")  # noqa: TRY004
    return value
