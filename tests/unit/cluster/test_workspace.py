"""What a test run leaves on the disk."""

import tempfile
from pathlib import Path

import pytest

from tests.e2e.harness.workspace import Workspace


@pytest.fixture(autouse=True)
def parent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_a_run_leaves_nothing(parent: Path) -> None:
    workspace = Workspace()
    workspace.folder("a").joinpath("file").touch()
    workspace.close(keep_logs=False)
    assert not [*parent.iterdir()]


def test_a_failed_run_leaves_its_logs() -> None:
    workspace = Workspace()
    workspace.folder("a")
    workspace.log_folder("a")
    workspace.close(keep_logs=True)
    assert [path.name for path in workspace.path.rglob("*")] == ["logs", "a"]


def test_two_folders_of_one_name_are_two() -> None:
    workspace = Workspace()
    assert workspace.folder("a") != workspace.folder("a")
    assert workspace.log_folder("a") != workspace.log_folder("a")
    workspace.close(keep_logs=False)


def test_a_run_removes_what_a_killed_one_has_left_and_leaves_a_running_one_alone() -> None:
    killed, running = Workspace(), Workspace()
    for workspace in (killed, running):
        workspace.folder("locked", mode=0)
        workspace.log_folder("kept")
    killed._lock.close()
    next_run = Workspace()
    assert [path.name for path in killed.path.iterdir()] == ["logs"]
    assert (running.path / "locked").exists()
    for workspace in (running, next_run):
        workspace.close(keep_logs=False)
