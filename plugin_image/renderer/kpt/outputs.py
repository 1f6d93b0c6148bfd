"""What a function wrote, looked at before kpt does.

kpt takes a comment, an empty line and a list without items for "no objects", and anything
else that is one object for the only one. What is left would look complete.
"""

import yaml
from yaml.events import (
    CollectionEndEvent,
    CollectionStartEvent,
    Event,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceStartEvent,
)

from . import pieces

_KIND = "ResourceList"
_IN_A_LIST = 2
"""How deep the objects are."""


def fault(given: bytes, written: bytes, *, allow_empty: bool) -> str:
    """Why what a function wrote for what it was given must not be used; empty when it may be."""
    if not written:
        return "it wrote nothing; a function writes all objects that are to stay"
    stop = pieces.unread(written)
    if stop:
        return f"kpt would not read all that it wrote: {stop}"
    count = _count(written)
    if count is None:
        return f"it wrote something other than one {_KIND} with `items`"
    if count == 0 and not allow_empty and _count(given):
        return (
            "it removed all objects that it was given; where that is right, "
            "set the plugin parameter `allowEmpty` to true"
        )
    return ""


def _count(text: bytes) -> int | None:
    """The number of objects in a ResourceList; None for anything else."""
    # Keys and values in turn, of the outermost map.
    top: list[NodeEvent] = []
    depth = objects = documents = 0
    for event in yaml.parse(text, Loader=pieces.LOADER):
        documents += isinstance(event, yaml.DocumentStartEvent)
        depth -= isinstance(event, CollectionEndEvent)
        if isinstance(event, NodeEvent):
            if depth == 0 and not isinstance(event, MappingStartEvent):
                return None
            if depth == 1:
                top.append(event)
            objects += depth == _IN_A_LIST and _text(top[len(top) // 2 * 2 - 2]) == "items"
        depth += isinstance(event, CollectionStartEvent)
    entries = {_text(key): value for key, value in zip(top[::2], top[1::2], strict=True)}
    is_list = isinstance(entries.get("items"), SequenceStartEvent)
    once = documents == 1 and len(entries) == len(top) // 2
    return objects if once and is_list and _text(entries.get("kind")) == _KIND else None


def _text(event: Event | None) -> str:
    return str(event.value) if isinstance(event, ScalarEvent) else ""
