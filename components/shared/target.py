"""The repo-server's Deployment, as arguments name it, and how long to wait for it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NotRequired, TypedDict

import pulumi

from . import argocd_names, inputs, rights, validation
from .rights import Right

SKIP_AWAIT: Final = "pulumi.com/skipAwait"
_ROLLOUT_SECONDS = 600
TARGET: Final = ("namespace", "deployment", "await_rollout")
_AWAITED: Final = (
    ("apps", "deployments"),
    ("apps", "replicasets"),
    ("", "pods"),
    ("", "persistentvolumeclaims"),
)
"""What the provider watches while a Deployment rolls out; without the right it waits for ever."""


class TargetArgs(TypedDict):
    """Where the repo-server is, and whether to wait for it."""

    namespace: NotRequired[pulumi.Input[str]]
    """Namespace of Argo CD's repo-server (default `argocd`)."""
    deployment: NotRequired[pulumi.Input[str]]
    """Name of its Deployment (default `argocd-repo-server`; argo-helm puts its release first)."""
    check_deployment: NotRequired[bool]
    """Look it up, at preview too (default true). Set false where the same stack makes it."""
    await_rollout: NotRequired[pulumi.Input[bool]]
    """Wait until the pods with the sidecar are ready (default true)."""
    rollout_seconds: NotRequired[int]
    """How long to wait for them before `up` fails and says what is wrong (default 600)."""


@dataclass(frozen=True)
class Target:
    """The Deployment to patch, and whether to wait for it afterwards."""

    namespace: str
    deployment: str
    await_rollout: bool


def of(values: Mapping[str, Any]) -> Target:
    """Check the arguments that name the Deployment."""
    return Target(
        validation.dns_label("namespace", values.get("namespace", argocd_names.NAMESPACE)),
        validation.object_name("deployment", values.get("deployment", argocd_names.REPO_SERVER)),
        validation.flag("await_rollout", values.get("await_rollout", True)),
    )


def timeouts(where: str, given: Mapping[str, Any]) -> pulumi.CustomTimeouts:
    """Return how long a roll-out may take."""
    seconds = inputs.located(
        where,
        lambda: validation.whole_number(
            "rollout_seconds", given.get("rollout_seconds", _ROLLOUT_SECONDS), unit="seconds"
        ),
    )
    return pulumi.CustomTimeouts(create=f"{seconds}s", update=f"{seconds}s")


def needed_rights(namespace: str, given: Mapping[str, Any]) -> list[Right]:
    """What waiting for the roll-out of a Deployment takes, where `given` wants that."""
    if given.get("await_rollout") is False:
        return []
    return [right for kind in _AWAITED for right in rights.watch(namespace, *kind)]
