"""Ends foreground deletions, as the controller manager of a cluster does.

Argo CD prunes in the foreground: the object keeps a finalizer until its dependents are
gone. Nothing here makes dependents (no controller runs), so there are none to wait for.
"""

import contextlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from tests.e2e.harness.audit_log import AuditLog
from tests.e2e.harness.kubernetes_api import (
    MERGE_PATCH,
    ConflictError,
    KubernetesApi,
    NotFoundError,
)

_FINALIZER = "foregroundDeletion"
_POLL_SECONDS = 0.1


@contextmanager
def collecting_garbage(api: KubernetesApi, audit: AuditLog) -> Iterator[None]:
    """Collect in the background. What was deleted is known from the audit log."""
    stop = threading.Event()

    def collect() -> None:
        mark = audit.mark()
        while not stop.wait(_POLL_SECONDS):
            events, mark = audit.read(mark)
            for event in events:
                if event.verb == "delete":
                    _finish(api, urlsplit(event.uri).path)

    thread = threading.Thread(target=collect, name="garbage-collector", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _finish(api: KubernetesApi, path: str) -> None:
    """Remove the finalizer of a deleted object, and try again when the object has changed."""
    with contextlib.suppress(NotFoundError):
        while _FINALIZER in (metadata := api.request("GET", path)["metadata"]).get(
            "finalizers", []
        ):
            remaining = [name for name in metadata["finalizers"] if name != _FINALIZER]
            changes = {"finalizers": remaining, "resourceVersion": metadata["resourceVersion"]}
            try:
                api.request("PATCH", path, {"metadata": changes}, media=MERGE_PATCH)
            except ConflictError:
                continue
