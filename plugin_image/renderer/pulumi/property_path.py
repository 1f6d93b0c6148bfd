"""Pulumi's property paths, by which `ignoreChanges` names fields, and Argo CD's words for them.

Source: pulumi/pulumi `sdk/go/common/resource/properties_path.go`, ParsePropertyPath and String;
argo-cd `util/argo/normalizers/diff_normalizer.go`.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

Path = tuple[str | int, ...]

WILDCARD = "*"
"""Any key or index at its place, however it is written; so there is no key of that name."""

_STEP = re.compile(
    r'\["(?P<quoted>(?:\\"|\\(?!")|[^"\\])*)"\]|\[(?P<index>[^]"]*)\]|(?P<name>[^.[]+)'
)
_UNQUOTED = re.compile(r"[A-Za-z0-9_]+")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def parse(text: str) -> Path:
    """The steps of a path. Raises ValueError, with the reason, for anything else."""
    if not text or text.startswith(".") or text.endswith("."):
        raise ValueError("it begins or ends without a name")
    if "\n" in text:
        raise ValueError("it has several lines")
    steps: list[str | int] = []
    at = 0
    while at < len(text):
        if text[at] == ".":
            at += 1
            continue
        step = _STEP.match(text, at)
        if not step:
            raise ValueError(f"{text[at:]!r} has no end")
        steps.append(_step(step))
        at = step.end()
    return tuple(steps)


def _step(step: re.Match[str]) -> str | int:
    if step["quoted"] is not None:
        return step["quoted"].replace('\\"', '"')
    if step["index"] is None or step["index"] == WILDCARD:
        return step["name"] or WILDCARD
    if not re.fullmatch("[0-9]+", step["index"]):
        raise ValueError(f"[{step['index']}] is neither a key in quotes nor an index")
    return int(step["index"])


def select(data: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """Each value in plain data that a path names, with the place where it is.

    Source: pulumi/pulumi `sdk/go/common/resource/properties_path.go`, Contains.
    """
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


def written(path: Path) -> str:
    """The path as Pulumi writes it."""
    return "".join(map(_written, path)).removeprefix(".")


def _written(step: str | int) -> str:
    if isinstance(step, int) or step == WILDCARD:
        return f"[{step}]"
    if _UNQUOTED.fullmatch(step):
        return f".{step}"
    return '["' + step.replace('"', '\\"') + '"]'


def json_pointer(path: Path) -> str:
    """The path, which has no wildcard, as a JSON pointer."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def jq(path: Path) -> str:
    """The path as jq writes it. Where it leads nowhere in an object, it names nothing there."""
    return "." + "".join(map(_in_jq, path)).removeprefix(".")


def _in_jq(step: str | int) -> str:
    if step == WILDCARD:
        return "[]?"
    if isinstance(step, str) and _IDENTIFIER.fullmatch(step):
        return f".{step}"
    return f"[{json.dumps(step)}]"
