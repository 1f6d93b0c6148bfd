"""One Argo CD Application, as its user sees it."""

import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from tests.e2e.harness.kubernetes_api import KubernetesApi, Object

_API_VERSION, _KIND = "argoproj.io/v1alpha1", "Application"
_REFRESH = "argocd.argoproj.io/refresh"
_POLL_SECONDS = 0.1
_SECONDS = 180


class ApplicationError(Exception):
    """The Application did not get where it should; says where it stands."""


class Application:
    """A handle on an Application that exists."""

    def __init__(self, api: KubernetesApi, *, name: str, namespace: str) -> None:
        self._api = api
        self.name = name
        self.namespace = namespace

    def read(self) -> Object:
        """Return the Application as it is now."""
        return self._api.get(_API_VERSION, _KIND, self.name, namespace=self.namespace)

    def patch(self, patch: Mapping[str, Any]) -> None:
        """Change the Application by a JSON merge patch."""
        self._api.patch(_API_VERSION, _KIND, self.name, patch, namespace=self.namespace)

    def delete(self) -> None:
        """Delete the Application and wait until its finalizers have run."""
        self._api.delete(_API_VERSION, _KIND, self.name, namespace=self.namespace, timeout=_SECONDS)

    def ask_for_deletion(self) -> None:
        """Delete the Application without waiting for its finalizers."""
        path = f"/apis/{_API_VERSION}/namespaces/{self.namespace}/applications/{self.name}"
        self._api.request("DELETE", path)

    def conditions(self) -> dict[str, str]:
        """Return the message of every condition by its type."""
        conditions = self.read().get("status", {}).get("conditions", [])
        return {condition["type"]: condition["message"] for condition in conditions}

    def refresh(self, *, timeout: float = _SECONDS) -> Object:
        """Refresh hard, which renders again, and wait until that is done.

        Returns the Application. A refresh that ends with an error condition is done, too.
        """
        asked = datetime.now(UTC).replace(microsecond=0)
        self.patch({"metadata": {"annotations": {_REFRESH: "hard"}}})

        def done(app: Object) -> bool:
            reconciled = app.get("status", {}).get("reconciledAt")
            pending = _REFRESH in app["metadata"].get("annotations", {})
            # The controller removes the annotation together with writing the status.
            return not pending and reconciled is not None and _time(reconciled) >= asked

        return self.wait_for(done, what="done with a hard refresh", timeout=timeout)

    def sync(self, *, prune: bool = False, timeout: float = _SECONDS) -> Object:
        """Sync to the latest revision and wait for the end of the operation.

        Returns the Application, whatever `status.operationState.phase` says.
        """
        operation = {"initiatedBy": {"username": "tests"}, "sync": {"prune": prune}}
        self.patch({"operation": operation})
        return self.wait_for(
            lambda app: "operation" not in app, what="done with the sync", timeout=timeout
        )

    def wait_until_synced(self, *, revision: str = "", timeout: float = _SECONDS) -> Object:
        """Wait until the live objects are those of the revision, or of any."""

        def synced(app: Object) -> bool:
            status = app.get("status", {}).get("sync", {})
            at_revision = not revision or status.get("revision") == revision
            return status.get("status") == "Synced" and at_revision and "operation" not in app

        return self.wait_for(synced, what=f"Synced {revision}".strip(), timeout=timeout)

    def wait_for(
        self, condition: Callable[[Object], bool], *, what: str, timeout: float = _SECONDS
    ) -> Object:
        """Wait until the condition holds and return the Application.

        Raises ApplicationError with the Application's own account of itself.
        """
        deadline = time.monotonic() + timeout
        while not condition(app := self.read()):
            if time.monotonic() > deadline:
                raise ApplicationError(
                    f"Application {self.name} is not {what} after {timeout:.0f} s\n{_account(app)}"
                )
            time.sleep(_POLL_SECONDS)
        return app


def _account(app: Object) -> str:
    """Describe the state of an Application in a few lines."""
    status = app.get("status", {})
    operation = status.get("operationState", {})
    sync = status.get("sync", {})
    lines = [f"sync: {sync.get('status')} at {sync.get('revision')}"]
    lines += [f"health: {status.get('health', {}).get('status')}"]
    lines += [f"operation: {operation.get('phase')}: {operation.get('message')}"]
    for condition in status.get("conditions", []):
        lines.append(f"{condition['type']}: {condition['message']}")
    for resource in status.get("resources", []):
        where = f"{resource['kind']} {resource.get('namespace', '')}/{resource['name']}"
        lines.append(f"{where}: {resource.get('status')}")
    return "\n".join(f"    {line}" for line in lines)


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)
