"""All of it at once: for `make demo`, and for whoever wants to try something."""

import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from tests.e2e.harness.api_server import running_api_server
from tests.e2e.harness.argocd import ArgoCD, running_argocd
from tests.e2e.harness.workspace import Workspace


@contextmanager
def local_argocd(tools: Mapping[str, Path]) -> Iterator[ArgoCD]:
    """Start an API server and Argo CD; stop and remove everything at the end.

    After an error the logs stay, and their folder is named on standard error.
    """
    workspace = Workspace()
    failed = True
    try:
        with (
            running_api_server(workspace, tools) as server,
            running_argocd(server, workspace, tools) as argocd,
        ):
            yield argocd
        failed = False
    except KeyboardInterrupt:
        failed = False
        raise
    finally:
        workspace.close(keep_logs=failed)
        if failed:
            sys.stderr.write(f"logs: {workspace.logs}\n")


def terminate_like_interrupt() -> None:
    """Let SIGTERM end this process as Ctrl-C does, so that everything is stopped in order."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)
