"""Serves Git repositories in the node's network, where Argo CD's pods can fetch them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.cluster.harness.machine import ADDRESS, Machine


@contextmanager
def running_git_server(machine: Machine, folder: Path) -> Iterator[str]:
    """Serve the repositories in a folder, and give the URL that their names are put after."""
    process = machine.start(
        "git-daemon",
        *("git", "daemon", "--export-all", "--reuseaddr"),
        *(f"--base-path={folder}", f"--listen={ADDRESS}", folder),
    )
    try:
        yield f"git://{ADDRESS}"
    finally:
        process.stop()
