"""Sync windows of an Argo CD project: when its Applications may be synced, and when not.

Source: argo-cd `pkg/apis/application/v1alpha1`, `SyncWindow.Validate` and `HashIdentity`.
"""

from collections.abc import Mapping
from typing import Any, Final

from ..shared import validation
from ..shared.errors import InvalidInputError
from . import cron, fields

FIELD: Final = "sync_windows"

_WHOM: Final = ("applications", "namespaces", "clusters")
_IDENTITY: Final = ("kind", "schedule", "duration", *_WHOM, "timeZone", "andOperator")
_DESCRIPTION_MAX: Final = 255


def sync_windows(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Refuse windows that would be for nobody, never, or at another time than they say."""
    found: list[dict[str, Any]] = fields.check(
        FIELD, values.get(FIELD, []), "AppProject.spec.syncWindows"
    )
    identities: list[list[Any]] = []
    for index, window in enumerate(found):
        where = f"{FIELD}[{index}]"
        _check(where, window)
        # Go cannot distinguish an empty list from a missing one, nor false.
        identity = [window.get(field) or None for field in _IDENTITY]
        if identity in identities:
            problem = f"repeats {FIELD}[{identities.index(identity)}], which Argo CD refuses"
            raise InvalidInputError(where, problem, "leave one of them out")
        identities.append(identity)
    return found


def _check(where: str, window: Mapping[str, Any]) -> None:
    for field, fits, example in (
        ("kind", window.get("kind") in ("allow", "deny"), "allow or deny"),
        ("timeZone", cron.is_zone(window.get("timeZone", "UTC")), "for example Europe/Berlin"),
    ):
        if not fits:
            problem = f"is {window.get(field)!r}, which Argo CD would not understand"
            raise InvalidInputError(f"{where}.{field}", problem, f"write {example}")
    _check_schedule(f"{where}.schedule", validation.required(window, "schedule", within=where))
    duration = validation.required(window, "duration", within=where)
    if fields.nanoseconds(f"{where}.duration", duration) <= 0:
        problem = f"is {duration!r}, so the window would never be open"
        raise InvalidInputError(f"{where}.duration", problem, "write for example 36h")
    if len(window.get("description", "").encode()) > _DESCRIPTION_MAX:
        problem = f"has more than the {_DESCRIPTION_MAX} bytes that Argo CD takes"
        raise InvalidInputError(f"{where}.description", problem, "shorten it")
    if not any(window.get(whom) for whom in _WHOM):
        fix = f"set {', '.join(_WHOM[:-1])} or {_WHOM[-1]}; ['*'] is all"
        raise InvalidInputError(where, "applies to no Application", fix)


def _check_schedule(where: str, schedule: str) -> None:
    try:
        cron.require_valid(schedule)
    except ValueError as error:
        problem = (
            f"is {schedule!r}, which Argo CD cannot parse ({error}):"
            " no Application of the project would sync"
        )
        raise InvalidInputError(where, problem, "write for example 0 22 * * 1-5") from None
