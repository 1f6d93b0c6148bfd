"""The files of a Helm chart and of its subcharts, in a folder or an archive.

Source: helm.sh/helm/v3 pkg/chart/loader/load.go, archive.go.
"""

import gzip
import io
import os
import re
import tarfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Final

_TEMPLATE: Final = re.compile(r"(?:charts/[^/]+/)*templates/.+", re.DOTALL)
_PACKED: Final = re.compile(r"(?:charts/[^/]+/)*charts/[^/]+\.tgz")
_MOST_BYTES: Final = 100 * 2**20
"""Helm refuses an archive with more in it."""
_BROKEN: Final = (tarfile.TarError, zlib.error, OSError, EOFError)


def read(chart: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the names and contents of a chart's files, and of its packed subcharts' files."""
    if chart.is_file():
        yield from _unpacked(chart.read_bytes())
    else:
        for name, content in _in_folder(chart):
            yield from _with_packed(name, content)


def is_template(name: str) -> bool:
    """Return whether Helm parses the file of this name as a template."""
    return _TEMPLATE.fullmatch(name) is not None


def copy(chart: Path, into: Path, template: Callable[[bytes], bytes]) -> Path:
    """Copy a chart into a folder, with each template changed by a function.

    An archive stays one: Helm heeds `.helmignore` in folders only.
    """
    if chart.is_file():
        target = into / "chart.tgz"
        target.write_bytes(_repacked(chart.read_bytes(), template))
        return target
    target = into / "chart"
    for name, content in _in_folder(chart):
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_changed(name, content, template))
    return target


def _in_folder(chart: Path) -> Iterator[tuple[str, bytes]]:
    # Helm follows links, too.
    for parent, _, names in os.walk(chart, followlinks=True):
        for path in (Path(parent, name) for name in sorted(names)):
            if path.is_file():
                yield path.relative_to(chart).as_posix(), path.read_bytes()


def _changed(name: str, content: bytes, template: Callable[[bytes], bytes]) -> bytes:
    if is_template(name):
        return template(content)
    return _repacked(content, template) if _PACKED.fullmatch(name) else content


def _with_packed(name: str, content: bytes) -> Iterator[tuple[str, bytes]]:
    if _PACKED.fullmatch(name):
        folder = PurePosixPath(name).with_suffix("")
        for inner, part in _unpacked(content):
            yield f"{folder}/{inner}", part
    else:
        yield name, content


def _unpacked(archive: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the files of an archive; none if Helm would refuse it."""
    try:
        with _opened(archive) as members:
            for member in members:
                file = members.extractfile(member) if member.isreg() else None
                if file:
                    yield from _with_packed(_name_in_chart(member), file.read())
    except _BROKEN:
        return


def _repacked(archive: bytes, template: Callable[[bytes], bytes]) -> bytes:
    """Return an archive with changed templates, or the same one if Helm would refuse it."""
    packed = io.BytesIO()
    try:
        with _opened(archive) as members, tarfile.open(fileobj=packed, mode="w") as target:
            for member in members:
                file = members.extractfile(member) if member.isreg() else None
                if file is None:
                    target.addfile(member)
                    continue
                content = _changed(_name_in_chart(member), file.read(), template)
                member.size = len(content)
                target.addfile(member, io.BytesIO(content))
    except _BROKEN:
        return archive
    return gzip.compress(packed.getvalue(), compresslevel=1, mtime=0)


def _opened(archive: bytes) -> tarfile.TarFile:
    # All at once: headers, too, may stand for any number of bytes.
    plain = gzip.GzipFile(fileobj=io.BytesIO(archive)).read(_MOST_BYTES + 1)
    if len(plain) > _MOST_BYTES:
        raise tarfile.TarError
    return tarfile.open(fileobj=io.BytesIO(plain), mode="r:")


def _name_in_chart(member: tarfile.TarInfo) -> str:
    """Return a member's path below the archive's one folder."""
    return PurePosixPath(member.name).as_posix().partition("/")[2]
