"""YAML in and out, so that every parser reads the same.

Reading follows Pulumi's own parser (YAML 1.2 scalars: `on` and `yes` are text, dates are
text). Writing quotes whatever any YAML parser could take for something else than a text.
The writer is small and our own because it writes one shape only, JSON-like trees, and
does so several times faster than a general one; a stream of 2,000 objects is on the hot
path of a render.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import yaml

# --- Reading --------------------------------------------------------------------------


class _Yaml12Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """PyYAML's safe loader with the scalars of YAML 1.2's core schema."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Refuse a key that is there twice, as Pulumi does, before a merge adds others."""
        if getattr(node, "is_flat", False):
            return
        node.is_flat = True  # type: ignore[attr-defined]
        written: set[object] = set()
        for key, _ in node.value:
            place = (key.tag, key.value) if isinstance(key, yaml.ScalarNode) else key
            if place in written:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key.value} is there twice", key.start_mark
                )
            written.add(place)
        super().flatten_mapping(node)


for _tag, _pattern, _first in (
    ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
    ("null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
    ("int", r"^[-+]?(?:0|[1-9][0-9]*|0[0-7]+|0x[0-9a-fA-F]+)$", "-+0123456789"),
    (
        "float",
        r"^(?:[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?|[-+]?\.inf|\.nan)$",
        "-+0123456789.",
    ),
    ("merge", r"^<<$", "<"),
):
    _Yaml12Loader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}", re.compile(_pattern), list(_first)
    )


def parse(text: bytes) -> Any:
    """The single document in `text`; raises ValueError with place and reason."""
    try:
        return yaml.load(text, Loader=_Yaml12Loader)  # noqa: S506 - derives from the safe loader
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ValueError(str(error)) from error


def to_json(value: Any) -> str:
    """Compact JSON with sorted keys, the form in which structured configuration travels."""
    return json.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=False)


# --- Writing --------------------------------------------------------------------------

_PLAIN = re.compile(r"[A-Za-z/][A-Za-z0-9_./-]*(?::[A-Za-z0-9_./-]+)*\Z")
_TAKEN = frozenset({"true", "false", "yes", "no", "on", "off", "y", "n", "null"})
_BLOCK = re.compile(r"[!-~](?:[ -~]*[!-~])?(?:\n(?:[ -~]*[!-~])?)*\Z")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
# What YAML cannot carry as it is: controls, line separators, byte order marks, surrogates.
_ESCAPED = re.compile(
    '[\\x00-\\x1f"\\\\\\x7f-\\xa0\\u2028\\u2029\\ud800-\\udfff\\ufeff\\ufffe\\uffff]'
)


def to_stream(documents: Iterable[Mapping[str, Any]]) -> str:
    """Every document in block style, each begun by `---`.

    The documents are trees of dict, list, str, int, float, bool and None. Raises
    ValueError for a number that has no JSON (nan, inf) and TypeError for anything else.
    """
    lines: list[str] = []
    for document in documents:
        lines.extend(["---", *_block(document, "")] if document else ["--- {}"])
    return "\n".join(lines) + "\n" if lines else ""


def _block(node: Any, indent: str) -> Iterator[str]:
    """The lines of a non-empty mapping or list."""
    if isinstance(node, Mapping):
        for key, value in node.items():
            yield from _entry(f"{indent}{_text(key)}:", value, indent + "  ")
    else:
        for value in node:
            yield from _entry(f"{indent}-", value, indent + "  ")


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
        # YAML 1.1 takes `1e+22` for a text, and `1.0e+22` for the number.
        return re.sub(r"^(-?\d+)e", r"\1.0e", json.dumps(value, allow_nan=False))
    raise TypeError(f"{type(value).__name__} has no YAML form")


def _text(value: str) -> str:
    if _PLAIN.match(value) and value.lower() not in _TAKEN:
        return value
    return f'"{_ESCAPED.sub(_escape, value)}"'


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    return _ESCAPES.get(character) or f"\\u{ord(character):04x}"


def _reads_as_block(value: str) -> bool:
    """Whether a literal block gives the same text back in every parser.

    Kept to the plain case: printable ASCII, no leading blank, no blanks at the end of a
    line, one final newline at most.
    """
    return _BLOCK.match(value) is not None and not value.endswith("\n\n")
