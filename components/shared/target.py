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
    """Name of the Deployment (default `argocd-repo-server`; argo-helm puts its release first)."""
    check_deployment: NotRequired[bool]
    """Look the Deployment up at once (default true). Set false if this stack makes it first."""
    await_rollout: NotRequired[pulumi.Input[bool]]
    """Wait until the pods with the sidecar are ready (default true)."""
    rollout_seconds: NotRequired[int]
    """Seconds to wait for the pods before `up` fails and says what is wrong (default 600)."""


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
    """Rights needed to wait for the roll-out of a Deployment, where `given` asks for it."""
    if given.get("await_rollout") is False:
        return []
    return [right for kind in _AWAITED for right in rights.watch(namespace, *kind)]
