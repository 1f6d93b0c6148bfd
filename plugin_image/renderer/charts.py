"""Charts that make something up: passwords, certificates, dates.

Such a value differs in each render, and Argo CD would deliver it anew at every refresh. The
functions that a chart names show whether it may make something up; several renders show whether it
does. The clock hardly moves between them, so a chart that reads it is rendered as of another day
(`another_day`). Source: Masterminds/sprig functions.go, helm.sh/helm/v3
pkg/engine/funcs.go.
"""

import re
import tarfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final

from . import another_day, chart_files, go_templates, kubernetes_yaml

_RANDOM: Final = (
    *("randAlpha", "randAlphaNum", "randAscii", "randBytes", "randInt", "randNumeric"),
    *("bcrypt", "encryptAES", "htpasswd", "shuffle", "uuidv4"),
    *("genCA", "genCAWithKey", "genPrivateKey", "genSelfSignedCert", "genSelfSignedCertWithKey"),
    *("genSignedCert", "genSignedCertWithKey"),
)
_ORDER: Final = ("keys", "values")
"""They iterate over a Go map, whose order differs each time."""
_SORTED: Final = "sortAlpha"
_KINDS: Final = {
    **dict.fromkeys(_RANDOM, "random"),
    **dict.fromkeys((another_day.CLOCK, *another_day.TIMES), "clock"),
    **dict.fromkeys(_ORDER, "order"),
}
_NAMED: Final = re.compile(rb"\b(?:" + "|".join(_KINDS).encode() + rb")\b")
_OPENS: Final = b"{{"
_PART: Final = re.compile(rb"\{\{(?:(?!\}\}).)*?(?:%[a-z]|\Z)", re.DOTALL)
"""An action that a template puts together, whose functions only `tpl` sees."""
_VALUE: Final = re.compile(rb"\.Values\.([A-Za-z0-9_.]+)")
_NEAR: Final = 5
"""Actions in which a value is looked for that stands for what is made up, as in `if … else`."""

_LOOKUP: Final = "lookup"
_HOOK: Final = re.compile(rb"^[^#\n]*helm\.sh/hook[\"']?\s*:\s*(?!.*\btest)", re.MULTILINE)

_NOTES: Final = "templates/NOTES.txt"
_DEFINITIONS: Final = "crds/"
_DEFINITION: Final = "CustomResourceDefinition"
_TEMPLATES: Final = "/templates/"
_METADATA: Final = "Chart.yaml"

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


def uses(chart: Path, values: Iterable[str] = ()) -> Uses:
    """Return those of the chart in a folder or archive, with these texts of its values."""
    found = [
        *dict.fromkeys(
            use
            for name, text, is_string in _texts(chart, values)
            for use in (*_uses(name, text), *(_parts(name, text) if is_string else ()))
        )
    ]
    kinds = {use.kind for use in found}
    if "order" in kinds:
        return Uses(found, _RENDERS_OF_MAPS)
    return Uses(found, _RENDERS if kinds else 1)


def doubts(chart: Path) -> Iterator[str]:
    """Yield why the chart in a folder or archive may make something up; nothing if it cannot."""
    for name, text in _templates(chart):
        if _names(text, another_day.TEMPLATE):
            yield f"{name} calls {another_day.TEMPLATE}, which may call any function"
        else:
            yield from (f"it uses {use}" for use in _uses(name, text))


def as_of_another_day(chart: Path, into: Path) -> Path:
    """Copy the chart into a folder, with templates as of another day."""
    return chart_files.copy(chart, into, another_day.of)


def lookups(chart: Path) -> list[str]:
    """Return the files of the chart in a folder or archive that ask the cluster for objects."""
    found = (name for name, text, _ in _texts(chart) if _names(text, _LOOKUP))
    return [*dict.fromkeys(found)]


def hooks(chart: Path) -> list[str]:
    """Return the files of the chart in a folder or archive that may make hooks other than tests."""
    return [
        name
        for name, text in chart_files.read(chart)
        if not name.startswith((_DEFINITIONS, _NOTES)) and _HOOK.search(text)
    ]


def metadata(chart: Path) -> Mapping[str, Any]:
    """The Chart.yaml of the chart in a folder or archive, which Helm has read; else empty."""
    found = (text for name, text in chart_files.read(chart) if name == _METADATA)
    documents = kubernetes_yaml.parse_all(next(found, b""), repeated_keys=True)
    return documents[0] if documents and isinstance(documents[0], Mapping) else {}


def unpacked(archive: Path, into: Path) -> Path:
    """The chart's folder, in the folder `into`."""
    with tarfile.open(archive) as files:
        names = {PurePosixPath(name).parts[0] for name in files.getnames()}
        files.extractall(into, filter="data")
    (name,) = names
    return into / name


def is_beside_templates(place: str, manifest: Mapping[str, Any]) -> bool:
    """Whether an object at this place of a chart is a definition of a folder `crds`.

    Helm never deletes these, and takes what the cluster has of them.
    """
    return manifest["kind"] == _DEFINITION and _TEMPLATES not in place


def repeated_definitions(found: Sequence[tuple[str, Mapping[str, Any]]]) -> set[int]:
    """Return the numbers of definitions of `crds` that are equal to an earlier one of `found`.

    Each of `found` is a place in a chart and the object there. A chart that another one depends
    on under two names brings its definitions twice, and Helm takes the first.
    """
    definitions: list[Mapping[str, Any]] = []
    repeated = set()
    for number, (place, manifest) in enumerate(found):
        if is_beside_templates(place, manifest):
            if any(kubernetes_yaml.same(manifest, other) for other in definitions):
                repeated.add(number)
            else:
                definitions.append(manifest)
    return repeated


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


def _texts(chart: Path, values: Iterable[str] = ()) -> Iterator[tuple[str, bytes, bool]]:
    """Yield the names and texts of a chart that Helm may execute, and whether they are strings.

    These are its templates. If one calls `tpl`, any other text may be a template, too: files,
    values, and strings of templates.
    """
    templates = [*_templates(chart)]
    yield from ((name, text, False) for name, text in templates)
    if not any(_names(text, another_day.TEMPLATE) for _, text in templates):
        return
    for name, text in templates:
        yield from ((name, part, True) for part in _strings(text) if _OPENS in part)
    files = (file for file in chart_files.read(chart) if not chart_files.is_template(file[0]))
    for name, text in (*files, *(("the values", value.encode()) for value in values)):
        if _OPENS in text:
            # A string in YAML or JSON has its quotes escaped.
            yield from (
                (name, part, False) for part in {text: None, text.replace(b'\\"', b'"'): None}
            )


def _templates(chart: Path) -> Iterator[tuple[str, bytes]]:
    """Yield those that objects may come from: of the notes, only definitions count."""
    for name, text in chart_files.read(chart):
        if chart_files.is_template(name) and (name != _NOTES or b"define" in text):
            yield name, text


def _names(text: bytes, function: str) -> bool:
    return function.encode() in text and any(
        function in go_templates.functions(action) for action in go_templates.ACTIONS.findall(text)
    )


def _strings(text: bytes) -> Iterator[bytes]:
    """Yield the strings of a template, each after as many lines as are before its action."""
    for match in go_templates.ACTIONS.finditer(text):
        if _OPENS in match[0][len(_OPENS) :]:
            lines = b"\n" * text.count(b"\n", 0, match.start())
            yield from (lines + string for string in go_templates.strings(match[0]))


def _parts(name: str, text: bytes) -> Iterator[Use]:
    if _PART.search(text):
        line = text.count(b"\n", 0, text.index(_OPENS)) + 1
        yield Use(another_day.TEMPLATE, "clock", name, line, ())


def _uses(name: str, text: bytes) -> Iterator[Use]:
    if not _NAMED.search(text):
        return
    actions: list[bytes] = []
    for match in go_templates.ACTIONS.finditer(text):
        actions.append(match[0])
        functions = [*go_templates.functions(match[0])] if _NAMED.search(match[0]) else []
        for function in functions:
            kind = _KINDS.get(function)
            if kind is None or (kind == "order" and _SORTED in functions):
                continue
            near = (_VALUE.findall(action) for action in actions[: -_NEAR - 1 : -1])
            yield Use(
                function=function,
                kind=kind,
                file=name,
                line=text.count(b"\n", 0, match.start()) + 1,
                values=tuple(value.decode() for value in next(filter(None, near), [])),
            )
