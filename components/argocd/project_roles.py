"""Roles of an Argo CD project: who may do what with its Applications.

Source: argo-cd `pkg/apis/application/v1alpha1/types.go`, `validatePolicy`.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from ..shared import validation
from ..shared.errors import InvalidInputError
from . import fields

FIELD: Final = "roles"

_NAME: Final = re.compile(r"[a-zA-Z0-9]([-_a-zA-Z0-9]*[a-zA-Z0-9])?")
_RESOURCES: Final = "applications|applicationsets|clusters|exec|logs|repositories"
_ACTIONS: Final = r"\*|get|create|update|delete|sync|override|(action|update|delete)/.*"


def roles(project: str, values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Refuse roles that are there twice, and policies that say something about others."""
    found: list[dict[str, Any]] = fields.check(
        FIELD, values.get(FIELD, []), "AppProject.spec.roles"
    )
    names = [role["name"] for role in found]
    for index, role in enumerate(found):
        where, name = f"{FIELD}[{index}]", role["name"]
        if not _NAME.fullmatch(name) or name in names[:index]:
            problem = f"is {name!r}, which is used twice, or is not a single word"
            fix = "use letters, digits and inner dashes, and a name of its own"
            raise InvalidInputError(f"{where}.name", problem, fix)
        for policy in role.get("policies", ()):
            _check_policy(f"{where}.policies", policy, project, name)
        for group in role.get("groups", ()):
            validation.line(f"{where}.groups", group)
    return found


def _check_policy(where: str, policy: str, project: str, role: str) -> None:
    subject = f"proj:{project}:{role}"
    allowed = (
        "p",
        re.escape(subject),
        _RESOURCES,
        _ACTIONS,
        rf"{re.escape(project)}(/[*\w.-]+)?/[*\w.-]+",
        "allow|deny",
    )
    parts = [part.strip() for part in policy.split(",")]
    if len(parts) != len(allowed) or not all(map(re.fullmatch, allowed, parts)):
        problem = f"holds {policy!r}, which Argo CD would not accept for this role"
        fix = f"write for example p, {subject}, applications, sync, {project}/*, allow"
        raise InvalidInputError(where, problem, fix)
