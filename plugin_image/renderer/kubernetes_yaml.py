"""Reads manifests as Argo CD and the API server read them.

They read YAML with sigs.k8s.io/yaml, whose scalars are mostly those of YAML 1.1: `on` and
`yes` are booleans, `0755` and `0o755` are 493, `1_000` is a thousand; but dates and `12:30`
are strings. Source: go.yaml.in/yaml/v2, resolve.go; k8s.io/apimachinery, util/yaml. What they
cannot turn into JSON is refused here, too.
"""

import base64
import json
import math
import re
from functools import cached_property
from typing import Any

import yaml

from . import strict_json, yaml_limits

_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "on", "On", "ON"), True),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "off", "Off", "OFF"), False),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
}
_INTEGER = re.compile(r"([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))")
_BASES = (16, 2, 8, 10)
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_LARGEST_INTEGER = 2**64 - 1
_SMALLEST_INTEGER = -(2**63)

_MARK = b"\xef\xbb\xbf"
"""The byte order mark of UTF-8."""
_MARKED_DOCUMENT = re.compile(rb"(^---[ \t]*(?:#[^\n]*)?\r?\n)" + _MARK, re.MULTILINE)
_MARKED_LINE = re.compile(rb"\n" + _MARK)

_ANCHOR_AGAIN = "found duplicate anchor"
_TAGS = "tag:yaml.org,2002:"
_MERGE = f"{_TAGS}merge"
_TYPES: dict[str, type | tuple[type, ...]] = {
    "bool": bool,
    "int": int,
    "float": (int, float),
    "null": type(None),
}
_PLAIN = "!plain"
"""The tag of a scalar that is neither quoted nor tagged."""


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """PyYAML's safe loader with the scalars of go.yaml.in/yaml/v2."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012
    repeated_keys = False

    def __init__(self, stream: bytes) -> None:
        super().__init__(stream)
        self._stream = stream

    @cached_property
    def _text(self) -> str:
        return self._stream.decode("utf-8-sig")

    def construct_plain(self, node: Any) -> Any:
        """The value of a scalar without a tag, which a quoted one is with a mere `!`, to libyaml.

        What says `!` is a text. libyaml keeps that to itself, so it is looked for in what stands
        before the value, which else is nothing but an anchor.
        """
        value = node.value if node.style else _scalar(node.value)
        if isinstance(value, str):
            return value
        start, end = node.start_mark.index, node.end_mark.index - len(node.value)
        if start == end:
            return value
        before = self._text[start:end].split()
        return node.value if "!" in before else value

    def construct_document(self, node: Any) -> Any:
        """Refuse a few lines of aliases that stand for more than any memory holds."""
        yaml_limits.require_few_values(node)
        return super().construct_document(node)

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[str, Any]:
        """Keys become strings at once: to Python `1` and `true` are the same key.

        A merge counts where it stands: of it and a key, whichever comes last wins. A repeated
        key is refused, as parsers disagree about which one counts, or else the last wins.
        """
        if not isinstance(node, yaml.MappingNode):
            raise yaml.constructor.ConstructorError(
                None, None, "expected a mapping", node.start_mark
            )
        found: dict[str, Any] = {}
        written = set()
        for key, value in node.value:
            if key.tag == _MERGE:
                for merged in _merged(value):
                    found |= self.construct_mapping(merged, deep=deep)
            else:
                line = key.start_mark.line + 1
                name = _key(self.construct_object(key, deep=True), line)
                again = name in written
                made = self.construct_object(value, deep=deep or self.repeated_keys)
                if again and not (self.repeated_keys and same(found[name], made)):
                    raise ValueError(f"line {line} has the key {name} again: keep one of them")
                written.add(name)
                found[name] = made
        return found


_Loader.add_implicit_resolver(_MERGE, re.compile(r"<<\Z"), ["<"])
_Loader.add_implicit_resolver(_PLAIN, re.compile(r"(?!<<\Z)"), None)
_Loader.add_constructor(_PLAIN, _Loader.construct_plain)


class _RepeatingLoader(_Loader):
    repeated_keys = True


class _Anchors(yaml.composer.Composer):
    """An anchor of a name that was there before is another one, as YAML has it and Go reads it.

    libyaml's own composer refuses it, and is faster. kpt writes all documents of a package as one.
    """

    def __init__(self, stream: bytes) -> None:
        super().__init__()
        super(yaml.composer.Composer, self).__init__(stream)  # type: ignore[call-arg]

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Forget the name at once where it is given anew."""
        if not self.check_event(yaml.AliasEvent):  # type: ignore[attr-defined]
            self.anchors.pop(self.peek_event().anchor, None)  # type: ignore[attr-defined]
        return super().compose_node(parent, index)


class _AnchorsLoader(_Anchors, _Loader):
    pass


class _RepeatingAnchorsLoader(_Anchors, _RepeatingLoader):
    pass


def parse_all(text: bytes, *, repeated_keys: bool = False) -> list[Any]:
    """The documents of a file or stream, without empty ones, as trees that JSON can hold.

    `repeated_keys` is for charts, which come from others: a key may be repeated with an equal
    value. Raises ValueError, saying where and why, for a text that is neither YAML nor JSON,
    for values that JSON does not have, and for any other repeated key.
    """
    loaders = (
        (_RepeatingLoader, _RepeatingAnchorsLoader) if repeated_keys else (_Loader, _AnchorsLoader)
    )
    text = _without_marks(text)
    if text.lstrip().startswith(b"{"):
        try:
            documents = _json_stream(text)
        except (ValueError, RecursionError):
            documents = _yaml_stream(text, *loaders)
    else:
        documents = _yaml_stream(text, *loaders)
    return [document for document in documents if document is not None]


def parse_json(text: bytes) -> Any:
    """The one value of a JSON file. Raises ValueError, saying where and why."""
    try:
        return _tree(json.loads(text, object_pairs_hook=strict_json.distinct), "")
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same in JSON; to Python `1` and `true` are equal."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _without_marks(text: bytes) -> bytes:
    """Return the text without byte order marks at the beginning of its documents.

    Files that begin with one are often concatenated. Go's tools divide a text at lines of `---`
    before they parse it; anywhere else the mark becomes a part of a key, or an error. Raises
    ValueError for those, with the line. Source: k8s.io/apimachinery, pkg/util/yaml/decoder.go.
    """
    if text.rfind(_MARK) <= 0:
        return text
    text = _MARKED_DOCUMENT.sub(rb"\1", text)
    found = _MARKED_LINE.search(text)
    if found:
        line = text.count(b"\n", 0, found.start()) + 2
        raise ValueError(f"line {line} begins with a byte order mark: remove it")
    return text


def _json_stream(text: bytes) -> list[Any]:
    decoder = json.JSONDecoder(object_pairs_hook=strict_json.distinct)
    rest, found = text.decode().strip(), []
    while rest:
        value, end = decoder.raw_decode(rest)
        found.append(_tree(value, ""))
        rest = rest[end:].lstrip()
    return found


def _yaml_stream(text: bytes, loader: type[_Loader], *others: type[_Loader]) -> list[Any]:
    """The documents as a loader reads them, or another one that knows anchors better."""
    try:
        yaml_limits.require_shallow(text)
        return [_tree(document, "") for document in yaml.load_all(text, Loader=loader)]
    except yaml.composer.ComposerError as error:
        if others and _ANCHOR_AGAIN in str(error):
            return _yaml_stream(text, *others)
        raise ValueError(" ".join(str(error).split())) from error
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ValueError(" ".join(str(error).split())) from error


def _merged(node: Any) -> list[Any]:
    """The mappings that a merge brings, with the first of a list last, as it wins."""
    mappings = node.value[::-1] if isinstance(node, yaml.SequenceNode) else [node]
    for mapping in mappings:
        if not isinstance(mapping, yaml.MappingNode):
            raise yaml.constructor.ConstructorError(
                None, None, "a merge needs a mapping or a list of them", node.start_mark
            )
    return mappings


def _untagged(loader: _Loader, node: Any) -> Any:
    """The value of a node whose tag says nothing to Go's parser, as `!custom` and `!!set`."""
    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node, deep=True)
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    return node.value


def _of_its_tag(loader: _Loader, node: Any) -> Any:
    """The value of a scalar that is tagged with its type, as it stands or quoted.

    A time stays the text that it is written as. Source: go.yaml.in/yaml/v2, resolve.go.
    """
    if not isinstance(node, yaml.ScalarNode):
        return _untagged(loader, node)
    kind, text = node.tag.removeprefix(_TAGS), node.value
    if kind == "timestamp":
        value, fits = text, bool(yaml.SafeLoader.timestamp_regexp.match(text))
    else:
        value = _scalar(text)
        fits = isinstance(value, _TYPES[kind]) and (kind == "bool" or not isinstance(value, bool))
    if not fits:
        raise ValueError(f"line {node.start_mark.line + 1} has {text!r}, which is no !!{kind}")
    return value


def _decoded(loader: _Loader, node: Any) -> Any:
    """The text that a `!!binary` holds in Base64."""
    if not isinstance(node, yaml.ScalarNode):
        return _untagged(loader, node)
    try:
        return base64.b64decode(re.sub(r"[\r\n]", "", node.value), validate=True).decode()
    except ValueError as error:
        line = node.start_mark.line + 1
        raise ValueError(f"line {line} has a !!binary that is not a text in Base64") from error


def _scalar(text: str) -> Any:
    """The value of a plain scalar."""
    if text in _WORDS:
        return _WORDS[text]
    found = number(text)
    return text if found is None else found


def number(text: str) -> int | float | None:
    """A plain scalar's number to Go's parsers, YAML 1.1's and 1.2's; None for a string."""
    if _NOT_FINITE.fullmatch(text):
        return float(text.replace(".", ""))
    if not text or text[0] not in "+-.0123456789":
        return None
    plain = text if text[0] == "." else text.replace("_", "")
    integer = _integer(plain)
    if integer is not None and _SMALLEST_INTEGER <= integer <= _LARGEST_INTEGER:
        return integer
    found = float(plain) if _FLOAT.fullmatch(plain) else math.inf
    # What is too large is a text, as some abbreviations of commits are.
    return found if math.isfinite(found) else None


def _integer(text: str) -> int | None:
    match = _INTEGER.fullmatch(text)
    if not match:
        return None
    sign, *groups = match.groups()
    value = next(int(digits, base) for digits, base in zip(groups, _BASES, strict=True) if digits)
    return -value if sign == "-" else value


def _tree(node: Any, path: str) -> Any:
    """`node` as the JSON that Kubernetes gets. Raises ValueError for what has none."""
    if isinstance(node, dict):
        return {key: _tree(value, f"{path}.{key}" if path else key) for key, value in node.items()}
    if isinstance(node, list):
        return [_tree(value, f"{path}[{i}]") for i, value in enumerate(node)]
    if isinstance(node, float):
        return _number(node, path)
    if node is None or isinstance(node, (str, int)):
        return node
    raise ValueError(f"{path} is a {type(node).__name__}, which JSON does not have")


def _key(key: Any, line: int) -> str:
    if isinstance(key, bool):
        return "true" if key else "false"
    if isinstance(key, (str, int, float)):
        return str(_number(key, "a key") if isinstance(key, float) else key)
    name = "null" if key is None else key
    raise ValueError(f"line {line} has the key {name}, which is not a string: quote it")


def _number(value: float, path: str) -> int | float:
    if not math.isfinite(value):
        raise ValueError(f"{path} is {value}, which JSON does not have")
    # Go writes 1.0 and 1e3 without a point, and reads them back as integers.
    return int(value) if value.is_integer() and abs(value) < 2**63 else value


for _tag in ("bool", "int", "float", "null", "timestamp"):
    _Loader.add_constructor(_TAGS + _tag, _of_its_tag)
for _tag in ("set", "omap", "pairs"):
    _Loader.add_constructor(_TAGS + _tag, _untagged)
_Loader.add_constructor(_TAGS + "binary", _decoded)
_Loader.add_constructor(None, _untagged)
