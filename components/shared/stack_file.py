"""A stack's file, Pulumi.<stack>.yaml, as it is written.

A program gets something else: Pulumi reads the file as YAML, and passes each value on as a text. So
`1.10` arrives as `1.1`, and a date with a time of day.
Source: pulumi/pulumi `sdk/go/common/resource/config/object.go` (unmarshalObject, MarshalString).
"""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import yaml

from .errors import InstallerError

_BOOLEANS: Final = ("true", "false")
_TIME: Final = re.compile(r"(\d{4}-)\d\d-\d\d \d\d:\d\d:\d\d.*")


class Plain(str):
    """A scalar without quotes, which YAML may take for something else than a text."""

    __slots__ = ()


def read(path: Path, project: str) -> dict[str, Any]:
    """Return what a file sets, by full key. Each scalar is its text. Raises InstallerError."""
    try:
        document = yaml.load(path.read_bytes(), _Loader)  # noqa: S506 - a SafeLoader
    except (OSError, yaml.YAMLError) as error:
        problem = f"{path} cannot be read: {error}"
        raise InstallerError(f"{problem}. Fix: name a stack's file, Pulumi.<stack>.yaml") from None
    config = document.get("config") if isinstance(document, dict) else None
    if not isinstance(config, dict):
        return {}
    return {key if ":" in key else f"{project}:{key}": value for key, value in config.items()}


def is_secret(written: Any) -> bool:
    """Tell whether a value is encrypted."""
    return isinstance(written, dict) and [*written] == ["secure"]


def passed(written: Any) -> str:
    """Return the text by which a program gets a value. What is encrypted in it is left out."""
    if not isinstance(written, str):
        return json.dumps(_without_secrets(written))
    return written.lower() if written.lower() in _BOOLEANS else str(written)


def rewritten(field: str, written: Any, given: Any) -> Iterator[tuple[str, str, str]]:
    """Yield each text that Pulumi has made another one of: its place, how it is written, what came.

    Compares what a file says with what the program was given, which may be from another file.
    """
    if isinstance(written, Plain) and isinstance(given, str) and _is_taken_for(written, given):
        yield field, str(written), given
    elif isinstance(written, dict) and isinstance(given, Mapping):
        for key in written.keys() & given.keys():
            yield from rewritten(f"{field}.{key}", written[key], given[key])
    elif isinstance(written, list) and isinstance(given, list):
        for i, (item, known) in enumerate(zip(written, given, strict=False)):
            yield from rewritten(f"{field}[{i}]", item, known)


def _is_taken_for(written: str, given: str) -> bool:
    """Tell whether a scalar is no text in YAML, and `given` is another text for the same value."""
    if written == given:
        return False
    if given in _BOOLEANS:
        return written.lower() == given
    if time := _TIME.fullmatch(given):
        return written.startswith(time[1])
    number = _number(written)
    return number is not None and number == _number(given)


def _number(text: str) -> float | None:
    digits = text.replace("_", "")
    for base in (0, 8):
        with suppress(ValueError):
            return float(int(digits, base))
    with suppress(ValueError):
        return float(digits)
    return None


def _without_secrets(written: Any) -> Any:
    if is_secret(written):
        return ""
    if isinstance(written, dict):
        return {key: _without_secrets(value) for key, value in written.items()}
    return [_without_secrets(item) for item in written] if isinstance(written, list) else written


class _Loader(yaml.SafeLoader):
    """Leaves scalars as they are written."""


def _scalar(_loader: yaml.SafeLoader, node: yaml.ScalarNode) -> str:
    return str(node.value) if node.style else Plain(node.value)


for _kind in ("str", "int", "float", "bool", "null", "timestamp", "value"):
    _Loader.add_constructor(f"tag:yaml.org,2002:{_kind}", _scalar)
