"""The values that paths of properties name: `spec.containers[*].image`.

Source: pulumi/pulumi `sdk/go/common/resource/properties_path.go` (Contains).
"""

from collections.abc import Iterator, Mapping
from typing import Any

from plugin_image.renderer.pulumi import property_path
from plugin_image.renderer.pulumi.property_path import WILDCARD, Path


def parse(text: str) -> Path:
    """The path that `text` spells. Raises ValueError, with the text, for what is none."""
    try:
        return property_path.parse(text)
    except ValueError as error:
        raise ValueError(f"{text!r} is no path of properties: {error}") from error


def select(data: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """Each value in plain data that a path names, with the place where it is."""
    if not path:
        yield (), data
        return
    for key, part in _below(data, path[0]):
        for place, value in select(part, path[1:]):
            yield (key, *place), value


def without(data: Any, path: Path) -> Any:
    """A copy of plain data with null for each value that a path names."""
    if not path:
        return None
    below = {key: without(part, path[1:]) for key, part in _below(data, path[0])}
    if isinstance(data, Mapping):
        return {**data, **below}
    if isinstance(data, list):
        return [below.get(i, part) for i, part in enumerate(data)]
    return data


def _below(data: Any, step: str | int) -> Iterator[tuple[str | int, Any]]:
    """What one step of a path leads to."""
    if isinstance(data, Mapping):
        yield from ((key, part) for key, part in data.items() if step in (WILDCARD, key))
    elif isinstance(data, list):
        yield from ((i, part) for i, part in enumerate(data) if step in (WILDCARD, i))
