"""Differences that an Application leaves alone, in Argo CD's own terms.

Source: argo-cd `pkg/apis/application/v1alpha1/types.go`, ResourceIgnoreDifferences.
"""

from collections.abc import Mapping
from typing import Any, Final

from ..shared import validation
from ..shared.errors import InvalidInputError

FIELD: Final = "ignore_differences"

_WHICH: Final = ("group", "kind", "name", "namespace")
_WHAT: Final = ("jsonPointers", "jqPathExpressions", "managedFieldsManagers")
_RESPECT: Final = "RespectIgnoreDifferences"


def entries(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Refuse entries by which Argo CD would ignore nothing, or something other than was meant."""
    given = values.get(FIELD, [])
    if isinstance(given, str | Mapping) or not hasattr(given, "__iter__"):
        problem = f"must be a list, found {type(given).__name__}"
        raise InvalidInputError(FIELD, problem, "give what is under ignoreDifferences")
    return [_entry(f"{FIELD}[{index}]", entry) for index, entry in enumerate(given)]


def sync_options(values: Mapping[str, Any], options: list[str]) -> list[str]:
    """Add the sync option without which a sync undoes what should be left alone."""
    said = any(option.partition("=")[0] == _RESPECT for option in options)
    return options if said or not values.get(FIELD) else [*options, f"{_RESPECT}=true"]


def _entry(where: str, entry: object) -> dict[str, Any]:
    if not isinstance(entry, Mapping) or set(entry) - {*_WHICH, *_WHAT}:
        problem = f"is {entry!r}, and Argo CD would not read all of it"
        raise InvalidInputError(where, problem, f"write {', '.join((*_WHICH, *_WHAT))}")
    validation.text(f"{where}.kind", entry.get("kind"))
    which = {key: validation.text(f"{where}.{key}", entry[key]) for key in _WHICH if entry.get(key)}
    what = {
        key: validation.strings(f"{where}.{key}", entry[key]) for key in _WHAT if entry.get(key)
    }
    if not what:
        raise InvalidInputError(where, "names no field", f"write {' or '.join(_WHAT)}")
    for pointer in what.get("jsonPointers", ()):
        if not pointer.startswith("/"):
            problem = (
                f"holds {pointer!r}, which is no JSON pointer, so Argo CD would ignore nothing"
            )
            raise InvalidInputError(
                f"{where}.jsonPointers", problem, "write for example /spec/replicas"
            )
    return {**which, **what}
