"""Tells which of the fields that a patch applied have changed since, and who changed them.

A field counts if another field manager owns it now, or if it is gone. What an admission webhook
makes of a patch stays the patch's own, and is not drift.
Source: Kubernetes' server-side apply; structured-merge-diff `fieldpath/serialize-pe.go` (`f:` is a
field of managedFields, `k:` an element of a list by its keys).
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ..container.container import Json
from ..shared import validation
from ..shared.errors import InvalidInputError

STOP: Final = "stop"
RESTORE: Final = "restore"
MODES: Final = (STOP, RESTORE)

_KEYS: Final[Mapping[str, Sequence[str]]] = {
    "containers": ("name",),
    "env": ("name",),
    "imagePullSecrets": ("name",),
    "ports": ("containerPort", "protocol"),
    "volumeMounts": ("mountPath",),
    "volumes": ("name",),
}
"""By what server-side apply tells the elements of a list apart; other lists are one field.

Source: the Kubernetes API's `x-kubernetes-list-map-keys`.
"""
PATCH_MANAGER: Final = "pulumi-kubernetes"
"""Prefix of the field managers of Pulumi's patches; each patch has one of its own."""

Step = str | Mapping[str, Any]
"""A field's name, or the keys of an element."""


@dataclass(frozen=True)
class Change:
    """A field that is not as it was applied."""

    field: str
    """Its path, for people: `containers[cmp-pulumi-v1-0].image`."""
    owners: Sequence[str]
    """Field managers that have it now; none where it is gone."""

    def __str__(self) -> str:
        return f"{self.field} ({'now of ' + ', '.join(self.owners) if self.owners else 'gone'})"


def find(applied: Json, live: Json, managed_fields: Sequence[Json]) -> list[Change]:
    """Return the fields of a pod's spec that are not, in the live one, as a patch applied them.

    `managed_fields` are those of the Deployment that has the live spec.
    """
    found: dict[str, Change] = {}
    for steps, value in _fields((), applied):
        there = _at(live, steps)
        if _covers(there, value, is_quantity=_is_quantity(steps)):
            continue
        owners = _owners(managed_fields, steps)
        if owners or there is None:
            place = _text(steps if owners else _gone(live, steps))
            found.setdefault(place, Change(place, owners))
    return [*found.values()]


def refuse(deployment: str, changes: Sequence[Change]) -> None:
    """Refuse to go on when there are changes; the error names them, their owners and the fix."""
    if changes:
        problem = (
            f"is {STOP}, and {deployment} is no longer as it was installed: "
            f"{'; '.join(map(str, changes))}"
        )
        fix = (
            f"set it to {RESTORE}, which puts it back; to keep a change, make it an argument of "
            "the plugin first"
        )
        raise InvalidInputError("on_drift", problem, fix)


def mode(value: object) -> str:
    """Check what is to be done about drift."""
    if value not in MODES:
        problem = f"is {value!r}, nothing that can be done about drift"
        raise InvalidInputError("on_drift", problem, f"use {' or '.join(MODES)}")
    return str(value)


def _fields(
    at: tuple[Step, ...], node: Mapping[str, Any]
) -> Iterator[tuple[tuple[Step, ...], Any]]:
    """Each field below, as server-side apply counts fields, with its place."""
    for name, value in node.items():
        if isinstance(value, Mapping) and value:
            yield from _fields((*at, name), value)
        elif name in _KEYS and isinstance(value, list):
            for element in value:
                yield from _fields((*at, name, _keys(name, element)), element)
        else:
            yield (*at, name), value


def _keys(name: str, element: Json) -> Mapping[str, Any]:
    defaults = {"protocol": "TCP"}
    return {key: element.get(key, defaults.get(key)) for key in _KEYS[name]}


def _at(live: Any, steps: Sequence[Step]) -> Any:
    for step in steps:
        if isinstance(step, str):
            live = live.get(step) if isinstance(live, Mapping) else None
        else:
            live = next((part for part in live or () if _has(part, step)), None)
    return live


def _gone(live: Json, steps: Sequence[Step]) -> Sequence[Step]:
    """The path to what is gone: an element of a list as a whole, or the field alone."""
    ways = (steps[:end] for end in range(1, len(steps) + 1) if not isinstance(steps[end - 1], str))
    return next((way for way in ways if _at(live, way) is None), steps)


def _has(element: Json, keys: Mapping[str, Any]) -> bool:
    return all(element.get(key) == value for key, value in keys.items())


def _covers(there: Any, value: Any, *, is_quantity: bool) -> bool:
    """Whether a live value is the applied one, with nothing but the API server's defaults added."""
    if value in ({}, [], None):
        return True
    if isinstance(value, Mapping):
        return isinstance(there, Mapping) and all(
            _covers(there.get(key), part, is_quantity=is_quantity) for key, part in value.items()
        )
    if isinstance(value, list):
        return (
            isinstance(there, list)
            and len(there) == len(value)
            and all(map(lambda a, b: _covers(a, b, is_quantity=is_quantity), there, value))
        )
    if is_quantity and isinstance(there, str):
        return validation.amount(there) == validation.amount(str(value))
    return bool(there == value)


def _is_quantity(steps: Sequence[Step]) -> bool:
    return "resources" in steps or steps[-1] == "sizeLimit"


def _owners(managed_fields: Sequence[Json], steps: Sequence[Step]) -> list[str]:
    """The managers of a field, other than Pulumi's patches."""
    return sorted(
        {
            entry["manager"]
            for entry in managed_fields
            if not entry["manager"].startswith(PATCH_MANAGER)
            and _owns(entry.get("fieldsV1") or {}, ("spec", "template", "spec", *steps))
        }
    )


def _owns(owned: Json, steps: Sequence[Step]) -> bool:
    for step in steps:
        found = _owned_at(owned, step)
        if found is None:
            return False
        owned = found
    return True


def _owned_at(owned: Json, step: Step) -> Json | None:
    if isinstance(step, str):
        return owned.get(f"f:{step}")
    for key, below in owned.items():
        if key.startswith("k:") and _has(json.loads(key.removeprefix("k:")), step):
            return dict(below)
    return None


def _text(steps: Sequence[Step]) -> str:
    return "".join(
        f".{step}" if isinstance(step, str) else f"[{next(iter(step.values()))}]" for step in steps
    ).removeprefix(".")
