"""The types of the arguments of charts, YAML and kustomizations that the monitor reads itself.

SDKs check some of them only, and the provider reads them after the monitor.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ..errors import Refusal

_TYPES: Final[Mapping[type, str]] = {str: "a string", list: "a list", dict: "a map"}

_ARGUMENTS: Final[Mapping[str, type]] = {
    **dict.fromkeys(("chart", "directory", "file", "name", "namespace", "postrender"), str),
    **dict.fromkeys(("version", "yaml"), str),
    **dict.fromkeys(("files", "objs"), list),
    **dict.fromkeys(("postRenderer", "repositoryOpts"), dict),
}
_ITEMS: Final[Mapping[str, type]] = {"files": str, "objs": dict}
_FIELDS: Final[Mapping[str, Mapping[str, type]]] = {"postRenderer": {"command": str, "args": list}}


def require(inputs: Mapping[str, Any], called: str) -> None:
    """Raise Refusal, naming the argument, for plain inputs of a wrong type."""
    for name, type_ in _ARGUMENTS.items():
        value = inputs.get(name)
        _require(value, type_, name, called)
        if value is None:
            continue
        for number, item in enumerate(value if name in _ITEMS else ()):
            _require(item, _ITEMS[name], f"{name}[{number}]", called)
        for field, type_of_field in _FIELDS.get(name, {}).items():
            _require(value.get(field), type_of_field, f"{name}.{field}", called)


def _require(value: Any, type_: type, path: str, called: str) -> None:
    if value is not None and not isinstance(value, type_):
        raise Refusal(f"{called} has {path} that is not {_TYPES[type_]}", "correct it")
