"""What an account must be allowed to do in the cluster; what makes an object says so beside it.

Source: Kubernetes' SelfSubjectAccessReview, whose attributes a right is made of.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

_READ: Final = ("get",)
_PATCH: Final = (*_READ, "patch")
_WATCH: Final = ("list", "watch")
_OWN: Final = ("create", "get", *_WATCH, "patch", "delete")
"""The provider waits for the end of a deletion, and without `list` and `watch` waits for ever."""


@dataclass(frozen=True)
class Right:
    """One verb on one kind of object in a namespace; with a name, on the object of that name."""

    namespace: str
    group: str
    resource: str
    verb: str
    name: str = ""


def own(namespace: str, group: str, resource: str) -> list[Right]:
    """Rights needed to make, change and delete objects of a kind."""
    return _rights(namespace, group, resource, _OWN)


def read(namespace: str, group: str, resource: str, name: str) -> list[Right]:
    """Rights needed to look an object up."""
    return _rights(namespace, group, resource, _READ, name)


def patch(namespace: str, group: str, resource: str, name: str) -> list[Right]:
    """Rights needed to change an object that belongs to somebody else."""
    return _rights(namespace, group, resource, _PATCH, name)


def watch(namespace: str, group: str, resource: str) -> list[Right]:
    """Rights needed to wait for objects of a kind."""
    return _rights(namespace, group, resource, _WATCH)


def _rights(
    namespace: str, group: str, resource: str, verbs: Iterable[str], name: str = ""
) -> list[Right]:
    return [Right(namespace, group, resource, verb, name) for verb in verbs]
