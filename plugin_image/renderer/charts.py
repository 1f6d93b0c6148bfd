"""Charts that make something up: passwords, certificates, dates.

Such a value differs in each render, and Argo CD would deliver it anew at every refresh. The
functions that a chart names say whether it may make something up; whether it does, several
renders tell. The clock hardly moves between them, so a chart that asks for the time is rendered
as of another day (`another_day`). Source: Masterminds/sprig functions.go, helm.sh/helm/v3
pkg/engine/funcs.go.
"""

import gzip
import io
import os
import re
import tarfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final

from . import another_day, kubernetes_yaml
from .another_day import ACTION, NAME, TEXT

_RANDOM: Final = (
    rb"rand(?:AlphaNum|Alpha|Ascii|Numeric|Bytes|Int)|shuffle|uuidv4|bcrypt|htpasswd|encryptAES"
    rb"|gen(?:PrivateKey|CA|CAWithKey|SelfSignedCert|SelfSignedCertWithKey|SignedCert"
    rb"|SignedCertWithKey)"
)
_CLOCK: Final = another_day.CLOCK + rb"|" + another_day.TIMES
_ORDER: Final = rb"keys|values"
"""They iterate over a Go map, whose order differs each time."""
_SORTED: Final = b"sortAlpha"

_NAMED: Final = re.compile(rb"\b(?:" + b"|".join((_RANDOM, _CLOCK, _ORDER)) + rb")\b")
_CALL: Final = re.compile(
    TEXT
    + rb"|"
    + NAME
    + rb"(?:(?P<random>%b)|(?P<clock>%b)|(?P<order>%b))\b" % (_RANDOM, _CLOCK, _ORDER),
    re.DOTALL,
)
_VALUE: Final = re.compile(rb"\.Values\.([A-Za-z0-9_.]+)")
_NEAR: Final = 5
"""Actions in which a value is looked for that stands for what is made up, as in `if … else`."""

_LOOKUP: Final = re.compile(TEXT + rb"|" + NAME + rb"(?P<lookup>lookup)\b", re.DOTALL)
_HOOK: Final = re.compile(rb"^[^#\n]*helm\.sh/hook[\"']?\s*:\s*(?!.*\btest)", re.MULTILINE)

_DOUBTFUL: Final = re.compile(rb"(?<![\w.$])(?:tpl|" + b"|".join((_RANDOM, _CLOCK)) + rb")(?!\w)")
"""`tpl` renders a text, which may name any of the others and be put together from parts."""
_TEMPLATES: Final = "/templates/"
_NOT_TEMPLATES: Final = ("crds/", "templates/NOTES.txt")
_METADATA: Final = "Chart.yaml"
_ARCHIVE: Final = ".tgz"
_MOST_BYTES: Final = 100 * 2**20
"""Helm refuses an archive with more in it. Source: helm.sh/helm/v3 pkg/chart/loader/archive.go."""
_SUBCHARTS: Final = "charts"

_RENDERS: Final = 2
_RENDERS_OF_MAPS: Final = 8
"""Two entries of a map come in the same order every other time."""
_MOST_NAMED: Final = 3


@dataclass(frozen=True)
class Use:
    """A place where a chart names a function whose result differs each time."""

    function: str
    kind: str
    """`random`, `clock` or `order`."""
    file: str
    line: int
    values: tuple[str, ...]
    """Values of the chart that may stand for the result."""

    def __str__(self) -> str:
        return f"{self.function} in {self.file}:{self.line}"


@dataclass(frozen=True)
class Uses:
    """All such places of a chart."""

    places: Sequence[Use]
    renders: int
    """How many renders tell whether the chart makes something up."""

    @property
    def clock(self) -> bool:
        """Whether it asks for the time."""
        return any(use.kind == "clock" for use in self.places)

    def remedy(self, origin: str) -> str:
        """What to do about a difference in what the template `origin` gives."""
        own = [use for use in self.places if origin.endswith(use.file)]
        named = (own or self.places)[:_MOST_NAMED]
        values = dict.fromkeys(value for use in named for value in use.values)
        what = f"set {' or '.join(values)} of the chart's values" if values else "set its values"
        places = f" (it uses {', '.join(map(str, named))})" if named else ""
        return f"{what} so that it makes nothing up{places}"


UNSEEN: Final = Uses((), _RENDERS)
"""Those of a chart whose files are not here."""


def uses(chart: Path, values: str = "") -> Uses:
    """Those of the chart in a folder or archive, and of the values that it may render, too."""
    files = (*_files(chart), ("the values", values.encode()))
    found = [use for name, text in files if _NAMED.search(text) for use in _uses(name, text)]
    kinds = {use.kind for use in found}
    if "order" in kinds:
        return Uses(found, _RENDERS_OF_MAPS)
    return Uses(found, _RENDERS if kinds & {"random", "clock"} else 1)


def doubts(chart: Path) -> Iterator[str]:
    """Why the chart in a folder or archive may make something up; nothing where it cannot.

    A word is enough, be it in a comment: what Go's parser takes for code is not told here.
    """
    for name, text in _files(chart, everything=True):
        if _TEMPLATES in f"/{name}":
            words = {match[0].decode() for match in _DOUBTFUL.finditer(text)}
            yield from (f"{name} has the word {word}" for word in sorted(words))
            yield from (f"it uses {use}" for use in _uses(name, text) if use.kind == "order")


def as_of_another_day(chart: Path, into: Path) -> Path:
    """A copy of the chart in the folder `into` as it would be on another day."""
    definition = into / "chart" / another_day.FILE
    definition.parent.mkdir(parents=True, exist_ok=True)
    definition.write_bytes(another_day.DEFINITION)
    for name, text in _files(chart, everything=True):
        copy = into / "chart" / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(another_day.of(text) if _NAMED.search(text) else text)
    return into / "chart"


def lookups(chart: Path) -> list[str]:
    """The files of the chart in a folder or archive that ask the cluster for objects."""
    return [name for name, text in _files(chart) if b"lookup" in text and _looks_up(text)]


def hooks(chart: Path) -> list[str]:
    """The files of the chart in a folder or archive that may make hooks other than tests."""
    return [name for name, text in _files(chart) if _HOOK.search(text)]


def metadata(chart: Path) -> Mapping[str, Any]:
    """The Chart.yaml of the chart in a folder or archive, which Helm has read; else empty."""
    found = (text for name, text in _files(chart) if name == _METADATA)
    documents = kubernetes_yaml.parse_all(next(found, b""), repeated_keys=True)
    return documents[0] if documents and isinstance(documents[0], Mapping) else {}


def unpacked(archive: Path, into: Path) -> Path:
    """The chart's folder, in the folder `into`."""
    with tarfile.open(archive) as files:
        names = {PurePosixPath(name).parts[0] for name in files.getnames()}
        files.extractall(into, filter="data")
    (name,) = names
    return into / name


def difference(
    first: Sequence[Mapping[str, Any]], second: Sequence[Mapping[str, Any]]
) -> tuple[int, str] | None:
    """The number of the first object that differs in the second render, and the path in it.

    Where one render has more objects, it is that of the first that the other lacks.
    """
    for number, (one, other) in enumerate(zip(first, second, strict=False)):
        path = next(differences(one, other), None)
        if path is not None:
            return number, path
    return None if len(first) == len(second) else (min(len(first), len(second)), "")


def named(manifest: Mapping[str, Any], origin: str, path: str) -> str:
    """An object as messages name it; a name that varies would make each message another."""
    metadata = manifest.get("metadata") or {}
    name = "" if path in ("", "metadata.name") else f" {metadata.get('name')!r}"
    return f"{manifest.get('kind')}{name}{f' ({origin})' if origin else ''}"


def differences(one: Any, other: Any, path: str = "") -> Iterator[str]:
    """The paths at which two trees differ."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        for key in sorted({*one, *other}):
            inner = f"{path}.{key}" if path else str(key)
            if key in one and key in other:
                yield from differences(one[key], other[key], inner)
            else:
                yield inner
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for i, (part, another) in enumerate(zip(one, other, strict=True)):
            yield from differences(part, another, f"{path}[{i}]")
    elif one != other or type(one) is not type(other):
        yield path


def _uses(name: str, text: bytes) -> Iterator[Use]:
    actions: list[bytes] = []
    for match in ACTION.finditer(text):
        actions.append(match[0])
        for call in _CALL.finditer(match[0]):
            if call.lastgroup is None or (call.lastgroup == "order" and _SORTED in match[0]):
                continue
            near = (_VALUE.findall(action) for action in actions[: -_NEAR - 1 : -1])
            yield Use(
                function=call[0].decode(),
                kind=call.lastgroup,
                file=name,
                line=text.count(b"\n", 0, match.start()) + 1,
                values=tuple(value.decode() for value in next(filter(None, near), [])),
            )


def _looks_up(text: bytes) -> bool:
    calls = (call for action in ACTION.findall(text) for call in _LOOKUP.finditer(action))
    return any(call.lastgroup for call in calls)


def _files(chart: Path, *, everything: bool = False) -> Iterator[tuple[str, bytes]]:
    """Names and texts of a chart's files and of its subcharts', which may be archives.

    Without `everything` those that Helm does not render are left out.
    """
    if chart.is_file():
        for name, text in _unpacked(chart.read_bytes()):
            inner = name.partition("/")[2]
            if everything or not inner.startswith(_NOT_TEMPLATES):
                yield inner, text
        return
    # Helm follows links, too.
    for parent, _, names in os.walk(chart, followlinks=True):
        for path in (Path(parent, name) for name in sorted(names)):
            name = path.relative_to(chart).as_posix()
            if path.is_file() and (everything or not name.startswith(_NOT_TEMPLATES)):
                yield from _with_subcharts(name, path.read_bytes())


def _with_subcharts(name: str, text: bytes) -> Iterator[tuple[str, bytes]]:
    path = PurePosixPath(name)
    if path.suffix == _ARCHIVE and path.parent.name == _SUBCHARTS:
        for inner, part in _unpacked(text):
            yield f"{path.parent}/{inner}", part
    else:
        yield name, text


def _unpacked(archive: bytes) -> Iterator[tuple[str, bytes]]:
    """The files of an archive whose names stay in it.

    Helm refuses what is not an archive, and one with too much in it.
    """
    try:
        # All at once: headers, too, may stand for any number of bytes.
        plain = gzip.GzipFile(fileobj=io.BytesIO(archive)).read(_MOST_BYTES + 1)
        if len(plain) > _MOST_BYTES:
            return
        with tarfile.open(fileobj=io.BytesIO(plain), mode="r:") as members:
            for member in members:
                path = PurePosixPath(member.name)
                file = members.extractfile(member) if member.isreg() else None
                if file and not path.is_absolute() and ".." not in path.parts:
                    yield from _with_subcharts(path.as_posix(), file.read())
    except (tarfile.TarError, zlib.error, OSError, EOFError):
        return
