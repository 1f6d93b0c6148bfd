"""Refuses a container that could not share a plugin's socket with the repo-server beside it.

The socket is its owner's alone. Nothing fails when the pod starts; every render would.
"""

from typing import Final

from ..container.container import Json
from ..shared.errors import InvalidInputError

_ROOT: Final = 0
_REPO_SERVER: Final = "repo-server"
"""What the name of Argo CD's container ends with, in its manifests, its chart and its operator."""


def refuse_other(pod: Json, container: Json) -> None:
    """Raise InvalidInputError where a pod's spec names another uid for the repo-server.

    A uid that the spec does not name is the image's, or the cluster's choice, and not known here.
    """
    ours, theirs = _uid(container), _uid_of_repo_server(pod)
    if ours is None or theirs in {None, _ROOT, ours}:
        return
    problem = (
        f"is {ours}, but the repo-server runs as {theirs}, and neither could use the other's socket"
    )
    raise InvalidInputError("run_as_user", problem, f"set it to {theirs}")


def _uid_of_repo_server(pod: Json) -> int | None:
    for container in pod["containers"]:
        if container["name"].endswith(_REPO_SERVER):
            uid = _uid(container)
            return _uid(pod) if uid is None else uid
    return None


def _uid(part: Json) -> int | None:
    uid = (part.get("securityContext") or {}).get("runAsUser")
    return None if uid is None else int(uid)
