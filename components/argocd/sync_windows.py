"""Sync windows of an Argo CD project: when its Applications may be synced, and when not.

Source: argo-cd `pkg/apis/application/v1alpha1/types.go`, `SyncWindow.Validate`.
"""

import re
import zoneinfo
from collections.abc import Mapping
from typing import Any, Final

from ..shared import validation
from ..shared.errors import InvalidInputError
from . import fields

FIELD: Final = "sync_windows"

_SCHEDULE: Final = re.compile(r"\S+( +\S+){4}")
_WHOM: Final = ("applications", "namespaces", "clusters")


def sync_windows(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Refuse windows that would be for nobody, never, or at another time than they say."""
    found: list[dict[str, Any]] = fields.check(
        FIELD, values.get(FIELD, []), "AppProject.spec.syncWindows"
    )
    for index, window in enumerate(found):
        _check(f"{FIELD}[{index}]", window)
    return found


def _check(where: str, window: Mapping[str, Any]) -> None:
    for field, fits, example in (
        ("kind", window.get("kind") in ("allow", "deny"), "allow or deny"),
        ("schedule", _SCHEDULE.fullmatch(window.get("schedule", "")), "for example 0 22 * * 1-5"),
        ("timeZone", _is_zone(window.get("timeZone", "UTC")), "for example Europe/Berlin"),
    ):
        if not fits:
            problem = f"is {window.get(field)!r}, which Argo CD would not understand"
            raise InvalidInputError(f"{where}.{field}", problem, f"write {example}")
    fields.duration(f"{where}.duration", validation.required(window, "duration", within=where))
    if not any(window.get(whom) for whom in _WHOM):
        fix = f"set {', '.join(_WHOM[:-1])} or {_WHOM[-1]}; ['*'] is all"
        raise InvalidInputError(where, "applies to no Application", fix)


def _is_zone(name: str) -> bool:
    """Tell whether Argo CD knows the time zone; it would take UTC for one that it does not."""
    known = zoneinfo.available_timezones()
    return not known or name in known
