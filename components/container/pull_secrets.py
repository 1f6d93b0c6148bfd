"""Secrets by which the kubelet may pull images."""

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict

import pulumi

from ..shared import validation
from ..shared.errors import InvalidInputError


class PullSecretArgs(TypedDict):
    """By which Secrets the kubelet may pull images."""

    image_pull_secrets: NotRequired[pulumi.Input[Sequence[pulumi.Input[str]]]]
    """Secrets with the credentials of the registries that the images come from."""


def of(values: Mapping[str, Any]) -> list[str]:
    """Check PullSecretArgs."""
    field = "image_pull_secrets"
    given = values.get(field, [])
    if isinstance(given, list | tuple) and any(isinstance(item, Mapping) for item in given):
        raise InvalidInputError(field, "holds an object", "write the names alone: [registry]")
    names = validation.strings(field, given)
    return [*dict.fromkeys(validation.object_name(field, name) for name in names)]


def of_pod(names: Sequence[str]) -> dict[str, Any]:
    """Return the field of a pod's spec, or none.

    To server-side apply each name is an element by itself: whoever gives one up leaves it there
    for the others that apply it.
    """
    return {"imagePullSecrets": [{"name": name} for name in names]} if names else {}
