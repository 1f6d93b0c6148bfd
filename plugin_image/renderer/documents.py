"""YAML in and out, so that every parser reads the same.

Reading follows Pulumi's own parser, gopkg.in/yaml.v3: `on` and `yes` are strings, `0o17` and
`1_000` are numbers, dates are told apart. Writing quotes whatever any YAML parser could take for
anything but a string.
The writer is small and our own because it writes one shape only, JSON-like trees, and
does so several times faster than a general one; a stream of 2,000 objects is on the hot
path of a render.
"""

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any

import yaml

from . import kubernetes_yaml, yaml_limits
from .errors import ManifestError
from .files import MOST_OUTPUT

# --- Reading --------------------------------------------------------------------------


class Timestamp(str):
    """A string that Pulumi's parser takes for a point in time, which nobody means by it."""

    __slots__ = ()


_MERGE = "tag:yaml.org,2002:merge"
_NUMBER = "!number"
"""The tag of a plain scalar that begins as numbers do."""
_TIMESTAMP = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})"
    r"(?:[Tt](\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.\d+)?(?:Z|[-+]\d\d:\d\d)"
    r"| (\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.\d+)?)?"
)


class _Yaml12Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """PyYAML's safe loader with the scalars of YAML 1.2's core schema."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012

    def construct_document(self, node: Any) -> Any:
        """Refuse a few lines of aliases that stand for more than any memory holds."""
        yaml_limits.require_few_values(node)
        return super().construct_document(node)

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Refuse a repeated key, as Pulumi does, before a merge adds others."""
        if getattr(node, "is_flat", False):
            return
        node.is_flat = True  # type: ignore[attr-defined]
        written: set[object] = set()
        for key, _ in node.value:
            place = self._place(key)
            if place in written:
                raise yaml.constructor.ConstructorError(
                    None, None, f"duplicate key {key.value}", key.start_mark
                )
            written.add(place)
        super().flatten_mapping(node)

    def _place(self, key: yaml.Node) -> object:
        """What tells keys apart: to Python `1` and `true` are the same."""
        if isinstance(key, yaml.ScalarNode) and key.tag != _MERGE:
            return self.construct_object(key)
        return (key.tag, key.value) if isinstance(key, yaml.ScalarNode) else key


for _tag, _pattern, _first in (
    ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
    ("null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
    ("merge", r"^<<$", "<"),
):
    _Yaml12Loader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}", re.compile(_pattern), list(_first)
    )
_Yaml12Loader.add_implicit_resolver(_NUMBER, re.compile(""), list("-+.0123456789"))
_Yaml12Loader.add_constructor(_NUMBER, lambda _, node: _number(node.value))


def parse(text: bytes) -> Any:
    """The single document in `text`; raises ValueError with place and reason."""
    try:
        yaml_limits.require_shallow(text)
        return yaml.load(text, Loader=_Yaml12Loader)  # noqa: S506 - derives from the safe loader
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ValueError(str(error)) from error
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def as_json(value: Any, where: str) -> Any:
    """`value` as the tree of JSON that Pulumi makes of it: whole numbers are integers.

    Raises ValueError, naming `where`, for what JSON does not have, and for a point in time, which
    Pulumi writes in a form of its own.
    """
    if isinstance(value, Timestamp):
        raise ValueError(f"in {where} the date {value}")  # noqa: TRY004 - callers see one kind
    if isinstance(value, dict):
        found = {_key(key, where): as_json(part, f"{where}.{key}") for key, part in value.items()}
        if len(found) < len(value):
            raise ValueError(f"in {where} the same key twice")
        return found
    if isinstance(value, list):
        return [as_json(part, f"{where}[{i}]") for i, part in enumerate(value)]
    if isinstance(value, float) and math.isfinite(value):
        return int(value) if value.is_integer() and abs(value) < _SHORTEST_EXPONENT else value
    if isinstance(value, str) and _SURROGATE.search(value):
        raise ValueError(f"in {where} half of a character")
    if value is None or isinstance(value, (str, int)):
        return value
    raise ValueError(f"in {where} a {type(value).__name__}, which JSON does not have")


def _key(key: Any, where: str) -> str:
    if isinstance(key, str):
        return key
    if isinstance(key, (bool, int)):
        return to_json(key)
    raise ValueError(f"in {where} the key {'null' if key is None else repr(key)}")


_ESCAPED_BY_GO = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}


def to_json(value: Any) -> str:
    """Compact JSON with sorted keys, the form in which structured configuration travels."""
    text = json.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=False)
    return text.translate(_ESCAPED_BY_GO)


_WHOLE_WITH_EXPONENT = re.compile(r"^(-?\d+)e")
"""YAML 1.1 takes `1e+22` for a string, and `1.0e+22` for the number."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_SHORTEST_EXPONENT = 1e21
"""From here on, Go writes numbers with an exponent."""


def _number(text: str) -> Any:
    """The number or point in time that a plain scalar is, or else the string."""
    number = kubernetes_yaml.number(text)
    if number is not None:
        return number
    if match := _TIMESTAMP.fullmatch(text):
        with suppress(ValueError):
            year, month, day, *clock = map(int, filter(None, match.groups()))
            hour, minute, second = clock or (0, 0, 0)
            datetime(year, month, day, hour, minute, second)
            return Timestamp(text)
    return text


# --- Writing --------------------------------------------------------------------------


class _UnreadableError(Exception):
    """A string that Argo CD cannot read, however it is written."""

    def __init__(self, reason: str, *path: str | int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.path = path

    def __str__(self) -> str:
        parts = (
            f"[{part}]" if isinstance(part, int) else f".{part:.{_SHOWN}}" for part in self.path
        )
        return f"{''.join(parts).removeprefix('.')} {self.reason}"


_SHOWN = 60
"""Characters of a key."""
_PLAIN = re.compile(r"[A-Za-z/][A-Za-z0-9_./-]*(?::[A-Za-z0-9_./-]+)*\Z")
_TAKEN = frozenset({"true", "false", "yes", "no", "on", "off", "y", "n", "null"})
_BLOCK = re.compile(r"[!-~](?:[ -~]*[!-~])?(?:\n(?:[ -~]*[!-~])?)*\Z")
_LONGEST_KEY = 1024
"""Characters of a key as it is written, with its quotes."""
_LONGER_IN_GO = re.compile("[<>&\u2028\u2029]")
"""What Go's JSON writes in six characters."""
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
# What YAML cannot carry as it is: controls, line separators, byte order marks, surrogates.
_ESCAPED = re.compile(
    '[\\x00-\\x1f"\\\\\\x7f-\\xa0\\u2028\\u2029\\ud800-\\udfff\\ufeff\\ufffe\\uffff]'
)
_UNREADABLE = re.compile("[\x7f-\x9f\ufffe\uffff\ud800-\udfff]")


def to_stream(documents: Iterable[Mapping[str, Any]]) -> str:
    """Every document in block style, each begun by `---`.

    The documents are trees of dict, list, str, int, float, bool and None. Raises
    ManifestError for a string that Argo CD does not read as it is and for more than it takes,
    ValueError for a number that JSON does not have (nan, inf) and TypeError for anything else.

    Argo CD turns each document into JSON and reads that as YAML again, in which U+007F to
    U+009F, U+FFFE and U+FFFF mean something else or nothing and keys have a maximum length. Source:
    argoproj/argo-cd `cmpserver/plugin/plugin.go`, `reposerver/repository/repository.go`;
    argoproj/gitops-engine `pkg/utils/kube/kube.go`; go.yaml.in/yaml `readerc.go`, `scannerc.go`.
    """
    texts: list[str] = []
    length = 0
    for document in documents:
        try:
            texts.append("\n".join(["---", *_block(document, "")] if document else ["--- {}"]))
        except _UnreadableError as error:
            raise ManifestError(
                f"{document.get('kind')} {_name(document)!r} has in {error}",
                fix="take it out, or encode it: as base64 in `data` of a Secret or `binaryData` "
                "of a ConfigMap",
            ) from None
        length += len(texts[-1])
        if length > MOST_OUTPUT:
            raise ManifestError(
                f"the manifests have more than {MOST_OUTPUT // 2**20} MiB, which Argo CD does "
                "not take",
                fix="deliver them by several Applications",
            )
    return "\n".join(texts) + "\n" if texts else ""


def _name(document: Mapping[str, Any]) -> Any:
    metadata = document.get("metadata")
    return metadata.get("name") if isinstance(metadata, Mapping) else None


def _block(node: Any, indent: str) -> Iterator[str]:
    """The lines of a non-empty mapping or list."""
    place: str | int = ""
    try:
        if isinstance(node, Mapping):
            for key, value in node.items():
                place = key
                yield from _entry(f"{indent}{_written_key(key)}:", value, indent + "  ")
        else:
            for index, value in enumerate(node):
                place = index
                yield from _entry(f"{indent}-", value, indent + "  ")
    except _UnreadableError as error:
        raise _UnreadableError(error.reason, place, *error.path) from None


def _entry(head: str, value: Any, indent: str) -> Iterator[str]:
    if isinstance(value, (Mapping, list)) and value:
        lines = _block(value, indent)
        if head.endswith("-"):
            head = f"{head} {next(lines)[len(indent) :]}"
        yield head
        yield from lines
    elif isinstance(value, str) and "\n" in value and _reads_as_block(value):
        yield f"{head} |" if value.endswith("\n") else f"{head} |-"
        for line in value.removesuffix("\n").split("\n"):
            yield f"{indent}{line}" if line else ""
    else:
        yield f"{head} {_scalar(value)}"


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        return "{}"
    if isinstance(value, list):
        return "[]"
    if value is None or isinstance(value, (bool, int, float)):
        return _WHOLE_WITH_EXPONENT.sub(r"\1.0e", json.dumps(value, allow_nan=False))
    raise TypeError(f"{type(value).__name__} has no YAML form")


def _written_key(key: str) -> str:
    text = _text(key)
    if len(key) * 6 > _LONGEST_KEY:
        in_json = json.dumps(key, ensure_ascii=False)
        longest = max(len(text), len(in_json) + 5 * len(_LONGER_IN_GO.findall(key)))
        if longest > _LONGEST_KEY:
            raise _UnreadableError(f"a key of {len(key)} characters, too long for Argo CD")
    return text


def _text(value: str) -> str:
    if _PLAIN.match(value) and value.lower() not in _TAKEN:
        return value
    return f'"{_ESCAPED.sub(_escape, value)}"'


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    if _UNREADABLE.match(character):
        raise _UnreadableError(f"the character U+{ord(character):04X}, which Argo CD cannot read")
    return _ESCAPES.get(character) or f"\\u{ord(character):04x}"


def _reads_as_block(value: str) -> bool:
    """Whether a literal block gives the same string back in every parser.

    Kept to the plain case: printable ASCII, no leading blank, no blanks at the end of a
    line, one final newline at most.
    """
    return _BLOCK.match(value) is not None and not value.endswith("\n\n")
