"""Differences that an Application leaves alone, in Argo CD's own terms.

Source: argo-cd `pkg/apis/application/v1alpha1/types.go`, ResourceIgnoreDifferences.
"""

from collections.abc import Mapping
from typing import Any, Final

from ..shared import validation
from ..shared.errors import InvalidInputError
from . import fields

FIELD: Final = "ignore_differences"

_WHAT: Final = ("jsonPointers", "jqPathExpressions", "managedFieldsManagers")
_RESPECT: Final = "RespectIgnoreDifferences"


def entries(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Refuse entries by which Argo CD would ignore nothing, or something other than was meant."""
    path = "Application.spec.ignoreDifferences"
    found: list[dict[str, Any]] = fields.check(FIELD, values.get(FIELD, []), path)
    for index, entry in enumerate(found):
        _check(f"{FIELD}[{index}]", entry)
    return found


def sync_options(values: Mapping[str, Any], options: list[str]) -> list[str]:
    """Add the sync option without which a sync undoes what should be left alone."""
    said = any(option.partition("=")[0] == _RESPECT for option in options)
    return options if said or not values.get(FIELD) else [*options, f"{_RESPECT}=true"]


def _check(where: str, entry: Mapping[str, Any]) -> None:
    validation.text(f"{where}.kind", entry["kind"])
    if not any(entry.get(field) for field in _WHAT):
        raise InvalidInputError(where, "names no field", f"write {' or '.join(_WHAT)}")
    for pointer in entry.get("jsonPointers", ()):
        if not pointer.startswith("/"):
            problem = (
                f"holds {pointer!r}, which is not a JSON pointer, so Argo CD would ignore nothing"
            )
            raise InvalidInputError(
                f"{where}.jsonPointers", problem, "write for example /spec/replicas"
            )
