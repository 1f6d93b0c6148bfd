"""The parts of a ManifestWork that Applications give, and what may stand in them.

The API server drops fields that it does not know, and a feedback rule with a typo
would never do anything. Source: the CustomResourceDefinition in the module
open-cluster-management.io/api v1.0.0, which a test compares this table with.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ..errors import UsageError

_DNS_NAME: Final = r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)$"


@dataclass(frozen=True)
class Text:
    """A string, perhaps one of a few valid ones."""

    choices: tuple[str, ...] = ()
    default: str = ""
    """What the API server fills in; inside lists Argo CD would take it for a difference."""
    pattern: str = ""
    longest: int | None = None


@dataclass(frozen=True)
class Flag:
    """True or false."""


@dataclass(frozen=True)
class Whole:
    """A whole number."""


@dataclass(frozen=True)
class Items:
    """A list, where one field may have to differ between its items."""

    of: "Shape"
    key: str = ""
    fewest: int = 0


@dataclass(frozen=True)
class Fields:
    """An object with these fields and no others."""

    known: Mapping[str, "Shape"]
    required: tuple[str, ...] = ()


Shape = Text | Flag | Whole | Items | Fields

_RESOURCE: Final = Fields(
    {"group": Text(), "resource": Text(), "name": Text(), "namespace": Text()},
    required=("name", "resource"),
)

DELETE_OPTION: Final = Fields(
    {
        "propagationPolicy": Text(("Foreground", "Orphan", "SelectivelyOrphan"), "Foreground"),
        "selectivelyOrphans": Fields({"orphaningRules": Items(_RESOURCE)}),
        "ttlSecondsAfterFinished": Whole(),
    }
)

EXECUTOR: Final = Fields(
    {
        "subject": Fields(
            {
                "type": Text(("ServiceAccount",)),
                "serviceAccount": Fields(
                    {
                        "name": Text(pattern=_DNS_NAME, longest=253),
                        "namespace": Text(pattern=_DNS_NAME, longest=253),
                    },
                    required=("name", "namespace"),
                ),
            },
            required=("type",),
        )
    }
)

_IGNORED_FIELDS: Final = Fields(
    {
        "condition": Text(("OnSpokePresent", "OnSpokeChange"), "OnSpokePresent"),
        "jsonPaths": Items(Text(), fewest=1),
    },
    required=("condition", "jsonPaths"),
)

_UPDATE_STRATEGY: Final = Fields(
    {
        "type": Text(("Update", "CreateOnly", "ServerSideApply", "ReadOnly"), "Update"),
        "serverSideApply": Fields(
            {
                "force": Flag(),
                "fieldManager": Text(default="work-agent", pattern="^work-agent"),
                "ignoreFields": Items(_IGNORED_FIELDS, key="condition"),
            }
        ),
    },
    required=("type",),
)

_FEEDBACK_RULE: Final = Fields(
    {
        "type": Text(("WellKnownStatus", "JSONPaths")),
        "jsonPaths": Items(
            Fields({"name": Text(), "path": Text(), "version": Text()}, required=("name", "path")),
            key="name",
        ),
    },
    required=("type",),
)

_CONDITION_RULE: Final = Fields(
    {
        "condition": Text(),
        "type": Text(("WellKnownConditions", "CEL")),
        "celExpressions": Items(Text()),
        "message": Text(),
        "messageExpression": Text(),
    },
    required=("condition", "type"),
)

MANIFEST_CONFIGS: Final = Items(
    Fields(
        {
            "resourceIdentifier": _RESOURCE,
            "feedbackRules": Items(_FEEDBACK_RULE),
            "updateStrategy": _UPDATE_STRATEGY,
            "conditionRules": Items(_CONDITION_RULE, key="condition"),
        },
        required=("resourceIdentifier",),
    )
)


def completed(value: Any, shape: Shape) -> Any:
    """`value` with the defaults of the API server, whether it has the shape or not."""
    if isinstance(shape, Fields) and isinstance(value, dict):
        texts = {n: part for n, part in shape.known.items() if isinstance(part, Text)}
        defaults = {name: text.default for name, text in texts.items() if text.default}
        return {
            name: completed(part, shape.known[name]) if name in shape.known else part
            for name, part in (defaults | value).items()
        }
    if isinstance(shape, Items) and isinstance(value, list):
        return [completed(item, shape.of) for item in value]
    return value


def check(value: Any, shape: Shape, path: str) -> None:
    """Raise UsageError, naming the field, when `value` does not have the shape."""
    match shape:
        case Fields():
            _check_fields(value, shape, path)
        case Items():
            _check_items(value, shape, path)
        case Text():
            _check_text(value, shape, path)
        case Flag():
            _require(isinstance(value, bool), path, "true or false")
        case Whole():
            _require(isinstance(value, int) and not isinstance(value, bool), path, "a whole number")


def _check_fields(value: Any, shape: Fields, path: str) -> None:
    _require(isinstance(value, dict), path, "a map")
    for name, part in value.items():
        if name not in shape.known:
            raise UsageError(
                f"`{path}` has an unknown field `{name}`", fix=f"use {', '.join(shape.known)}"
            )
        check(part, shape.known[name], f"{path}.{name}")
    for name in shape.required:
        if name not in value:
            raise UsageError(f"`{path}` has no `{name}`", fix="add it")


def _check_items(value: Any, shape: Items, path: str) -> None:
    _require(isinstance(value, list), path, "a list")
    _require(len(value) >= shape.fewest, path, f"a list of at least {shape.fewest}")
    for number, item in enumerate(value):
        check(item, shape.of, f"{path}[{number}]")
    keys = [item[shape.key] for item in value] if shape.key else []
    for key in keys:
        if keys.count(key) > 1:
            raise UsageError(
                f"`{path}` has more than one item whose `{shape.key}` is {key!r}",
                fix="put them together, or remove one",
            )


def _check_text(value: Any, shape: Text, path: str) -> None:
    _require(isinstance(value, str), path, "a string")
    if shape.choices:
        _require(value in shape.choices, path, " or ".join(shape.choices))
    if shape.pattern:
        _require(re.search(shape.pattern, value), path, f"a string that matches {shape.pattern}")
    if shape.longest is not None:
        _require(
            len(value) <= shape.longest, path, f"a string of at most {shape.longest} characters"
        )


def _require(fits: object, path: str, wanted: str) -> None:
    if not fits:
        raise UsageError(f"`{path}` is not {wanted}", fix="correct it")
