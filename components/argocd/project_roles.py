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
_ACTIONS: Final = (
    r"\*|get|create|update|delete|sync|override|(action|update|delete)/([^\"\r\n]*[^\"\s])?"
)
"""Without a quote, and without a blank at the end: the file of policies is CSV."""


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
            _check_group(f"{where}.groups", group)
        for field in ("policies", "groups"):
            validation.unique(f"{where}.{field}", role.get(field, ()))
    return found


def _check_group(where: str, group: str) -> None:
    """Refuse a group for which Argo CD would drop all policies of the project."""
    name = validation.line(where, group)
    quoted = len(name) > 1 and name.startswith('"') and name.endswith('"')
    inside = name[1:-1] if quoted else name
    if not inside or '"' in inside or ("," in inside and not quoted):
        problem = (
            f"holds {group!r}, with which Argo CD could not read any policy of the project:"
            " its denials would not hold either"
        )
        plain = inside.replace('"', "") or "developers"
        fix = f"""write '"{plain}"', with double quotes around a name that has a comma"""
        raise InvalidInputError(where, problem, fix)


def _check_policy(where: str, policy: str, project: str, role: str) -> None:
    subject = f"proj:{project}:{role}"
    allowed = (
        "p",
        re.escape(subject),
        _RESOURCES,
        _ACTIONS,
        rf"{re.escape(project)}(/[*A-Za-z0-9_.-]+)?/[*A-Za-z0-9_.-]+",
        "allow|deny",
    )
    # A blank before a comma would belong to the word.
    parts = [part.lstrip(" ") for part in policy.strip(" ").split(",")]
    if len(parts) != len(allowed) or not all(map(re.fullmatch, allowed, parts)):
        problem = f"holds {policy!r}, which Argo CD would not accept for this role"
        fix = f"write for example p, {subject}, applications, sync, {project}/*, allow"
        raise InvalidInputError(where, problem, fix)
