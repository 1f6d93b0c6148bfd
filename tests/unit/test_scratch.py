"""Temporary files of tests are in memory only where there is plenty of it."""

from pathlib import Path

import pytest

from tests import scratch


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What says how much memory is free; the folder's own file system has room."""
    monkeypatch.setattr(scratch, "_IN_MEMORY", tmp_path)
    monkeypatch.setattr(scratch, "_MEMORY", tmp_path / "meminfo")
    monkeypatch.setattr(scratch, "_PLENTY", 1e6)
    return tmp_path / "meminfo"


@pytest.mark.parametrize(("kilobytes", "is_taken"), [(1001, True), (500, False)])
def test_it_is_taken_as_much_is_free(memory: Path, kilobytes: int, is_taken: bool) -> None:
    memory.write_text(f"MemTotal: 9000000 kB\nMemAvailable:  {kilobytes} kB\n")
    folder = scratch.in_memory()
    assert (folder is not None) == is_taken
    assert folder is None or folder.parent == memory.parent


def test_a_system_that_does_not_tell_has_none(memory: Path) -> None:
    assert not memory.exists()
    assert scratch.in_memory() is None
