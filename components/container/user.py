"""As whom a container runs, and what it may do: nothing but that.

A plugin's socket has mode 0755, and connecting to it takes write permission: cmp-server has to run
as the uid of the process that connects. In Argo CD's images that is 999, which a container names
itself, because the image may be anybody's. Some clusters choose the uid: OpenShift gives all pods
of a namespace one of its own, and refuses those that name another. There the container names none,
and has the same as the repo-server all the same.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NotRequired, TypedDict

import pulumi

from ..shared import contract, validation
from ..shared.errors import InvalidInputError

Json = dict[str, Any]

NONE: Final = "none"
"""Says that a field is to be left out, so that the cluster decides."""

_NUMBER = re.compile(r"0|[1-9]\d{0,9}")
_ROOT: Final = 0
_LARGEST: Final = 2**31 - 1


class UserArgs(TypedDict):
    """As whom the containers run."""

    run_as_user: NotRequired[pulumi.Input[str]]
    """The uid, which has to be the repo-server's (default `999`); `none`: the cluster's choice."""
    run_as_group: NotRequired[pulumi.Input[str]]
    """The gid (default: the same number as `run_as_user`); `none`: the cluster's choice."""


@dataclass(frozen=True)
class User:
    """A uid and a gid, each None where the cluster chooses it."""

    uid: int | None = contract.CMP_UID
    gid: int | None = contract.CMP_UID

    def security_context(self) -> Json:
        """Return what a container may do: nothing but run as this user."""
        ids = {"runAsUser": self.uid, "runAsGroup": self.gid}
        return {
            **{field: number for field, number in ids.items() if number is not None},
            "runAsNonRoot": True,
            "readOnlyRootFilesystem": True,
            "privileged": False,
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "seccompProfile": {"type": "RuntimeDefault"},
        }


ARGO_CD: Final = User()
"""As whom the repo-server runs, unless its owner has changed that."""


def of(values: Mapping[str, Any]) -> User:
    """Check UserArgs."""
    uid = number("run_as_user", values.get("run_as_user", str(contract.CMP_UID)))
    if uid == _ROOT:
        problem = "is 0, that of root, as which no plugin runs"
        raise InvalidInputError("run_as_user", problem, "use the repo-server's, or leave it out")
    if "run_as_group" in values:
        return User(uid, number("run_as_group", values["run_as_group"]))
    return User(uid, uid)


def number(field: str, value: object) -> int | None:
    """Return a uid or gid, or None for `none`."""
    written = validation.line(field, value)
    if written == NONE:
        return None
    if not _NUMBER.fullmatch(written) or int(written) > _LARGEST:
        problem = f"is {written!r}, not the number of a user or a group"
        raise InvalidInputError(field, problem, f"write for example 1000, or {NONE}")
    return int(written)
