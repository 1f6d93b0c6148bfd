"""What a patch is to make of the repo-server's Deployment, held against the live one."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from ..container.container import Json
from ..shared import inputs, reapply, target
from ..shared.target import Target
from . import conflicts, drift, same_user
from .live import Live

_FORCE: Final = "pulumi.com/patchForce"
"""Takes fields over from their present owners."""


class Addition(Protocol):
    """What is added to the pod."""

    @property
    def name(self) -> str:
        """The container's name, which begins with CONTAINER_PREFIX."""
        ...

    @property
    def port_argument(self) -> str:
        """The argument that decides which port one of its containers listens on."""
        ...

    def pod_spec(self) -> Json:
        """Return the container, others that go with it, and their volumes."""
        ...


@dataclass(frozen=True)
class Desired:
    """What a component wants to be in the Deployment."""

    where: str
    """The component, for errors."""
    target: Target
    addition: Addition
    on_drift: str

    @property
    def claims(self) -> dict[str, str]:
        """Annotations by which the container claims its ports."""
        return conflicts.claims(self.addition.pod_spec()["containers"])

    @property
    def containers(self) -> list[str]:
        """The names of its containers."""
        return [container["name"] for container in self.addition.pod_spec()["containers"]]

    @property
    def annotations(self) -> dict[str, str]:
        """All annotations of the patch."""
        annotations = {self._fingerprint_key: reapply.fingerprint(self.addition.pod_spec())}
        annotations |= self.claims
        if not self.target.await_rollout:
            annotations[target.SKIP_AWAIT] = "true"
        if self.on_drift == drift.RESTORE:
            annotations[_FORCE] = "true"
        return annotations

    def is_applied(self, deployment: Live) -> bool:
        """Tell whether the live Deployment is what the patch would make of it.

        That includes its roll-out, where it is waited for: an `up` after a failed one tries again.
        One that somebody else's change has begun is for them to wait for: a broken plugin must not
        hold up others, least of all its own former version that is to take its place again.
        Raises InvalidInputError for drift that is not to be restored, for a port that is taken, and
        for another uid than that of the repo-server.
        """
        self._refuse_port(deployment)
        container = self.addition.pod_spec()["containers"][0]
        inputs.located(self.where, lambda: same_user.refuse_other(deployment.pod, container))
        changes = self._changes(deployment)
        if self.on_drift == drift.STOP:
            name = f"{self.target.namespace}/{self.target.deployment}"
            inputs.located(self.where, lambda: drift.refuse(name, changes))
        return (
            deployment.annotations_beside(self._fingerprint_key) == self.annotations
            and {*self.containers} <= {*deployment.containers}
            and not changes
            and not (self.target.await_rollout and self._rolls_out(deployment))
        )

    @property
    def _fingerprint_key(self) -> str:
        return f"argocd-cmp/{self.addition.name}"

    def _rolls_out(self, deployment: Live) -> bool:
        return not deployment.rolled_out and not deployment.was_changed_since(self._fingerprint_key)

    def _refuse_port(self, deployment: Live) -> None:
        others = [c for c in deployment.pod["containers"] if c["name"] not in self.containers]
        taken: Mapping[str, str] = conflicts.claims(others)
        inputs.located(
            self.where,
            lambda: conflicts.refuse_port(self.addition.port_argument, taken, self.claims),
        )

    def _changes(self, deployment: Live) -> list[drift.Change]:
        """Return what somebody has changed since the installation and no update would put back.

        A field that is gone counts only while the content is the same: an update adds it again.
        """
        installed = deployment.annotations.get(self._fingerprint_key)
        if installed is None:
            return []
        applied = self.addition.pod_spec()
        changes = drift.find(applied, deployment.pod, deployment.managed_fields)
        same = installed == reapply.fingerprint(applied)
        return [change for change in changes if same or change.owners]
