"""How much a YAML text may stand for: more than any cluster takes, and less than memory holds.

A few lines can stand for more values than any memory has, by aliases of aliases, and brackets
can be nested deeper than parsers go. Both are detected before anything is made of the text.
"""

import re
from typing import Any, Final

import yaml

MOST_VALUES: Final = 1_000_000
"""Values of one document, each alias counted as what it stands for."""
MOST_LEVELS: Final = 200

_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DOCUMENT: Final = re.compile(rb"^---", re.MULTILINE)
_DEEP_LINE: Final = re.compile(rb"^[ \0?:-]{%d}" % (MOST_LEVELS // 2), re.MULTILINE)
"""A column can be that of two levels: a list may stand below its key."""


def require_shallow(text: bytes) -> None:
    """Raise ValueError, saying where, for a text that is nested too deeply to be parsed."""
    if not any(map(_may_be_deep, _DOCUMENT.split(text))):
        return
    level = 0
    for event in yaml.parse(text, Loader=_LOADER):
        if isinstance(event, yaml.CollectionStartEvent):
            level += 1
            if level > MOST_LEVELS:
                line = event.start_mark.line + 1 if event.start_mark else 1
                raise ValueError(f"line {line} is nested more than {MOST_LEVELS} levels deep")
        level -= isinstance(event, yaml.CollectionEndEvent)


def require_few_values(document: yaml.Node) -> None:
    """Raise ValueError for a document with aliases that stand for too much, or for themselves."""
    if _count(document, {}) > MOST_VALUES:
        raise ValueError(f"with its aliases written out it has more than {MOST_VALUES} values")


def _may_be_deep(document: bytes) -> bool:
    """Whether it would take a look at the levels themselves, which takes half of a parse."""
    brackets = document.count(b"[") + document.count(b"{")
    return brackets > MOST_LEVELS or _DEEP_LINE.search(document) is not None


def _count(node: Any, known: dict[int, int]) -> int:
    """How many values the node stands for. Looks into each node once, however often it is used."""
    number = id(node)
    if number not in known:
        known[number] = 0
        parts = node.value if isinstance(node, yaml.CollectionNode) else ()
        if isinstance(node, yaml.MappingNode):
            parts = [part for pair in parts for part in pair]
        known[number] = 1 + sum(_count(part, known) for part in parts)
    elif not known[number]:
        raise ValueError(f"line {node.start_mark.line + 1} has an alias of what it is in")
    return known[number]
