"""What a machine lacks for a node is said before anything runs."""

import shutil
from types import SimpleNamespace

import pytest

from tests.cluster import prerequisites


def test_a_machine_without_root_is_told_why_nothing_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert prerequisites.main(["--ask"]) == 1
    assert (
        "not run: test-cluster: a container engine and a node need root" in capsys.readouterr().err
    )


def test_a_disk_on_which_a_node_would_evict_its_pods_is_told_before_they_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(prerequisites, "obstacle", lambda: None)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=4e9))
    assert prerequisites.main(["--ask"]) == 0, "it is no reason to leave a promise untested"
    assert prerequisites.main([]) == 1
    assert "error: test-cluster: 4.0 GB are free for " in capsys.readouterr().err
