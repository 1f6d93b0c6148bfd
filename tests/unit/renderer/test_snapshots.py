"""A process starts from a whole snapshot or from none, and what cannot be written is tried once."""

import os
from pathlib import Path

import pytest

from plugin_image.renderer import snapshots
from plugin_image.renderer.keeping import Keepable

WRITES = "echo tried >> {tried}; echo whole > blob"


def keepable(place: Path, script: str) -> Keepable:
    """What is kept, with a snapshot that a script writes."""
    return Keepable(
        kind="once",
        command=(),
        env={"PATH": "/usr/bin:/bin"},
        packages="",
        is_brought=True,
        snapshot=str(place / "snapshots" / "key" / "blob"),
        writes_snapshot=("/bin/sh", "-ec", script.format(tried=place / "tried")),
    )


def attempts(place: Path) -> int:
    return len((place / "tried").read_text().splitlines())


def test_a_snapshot_is_written_once_and_found_by_all_that_come_later(tmp_path: Path) -> None:
    what = keepable(tmp_path, WRITES)
    found = [snapshots.found_or_written(what) for _ in range(2)]
    assert found == [Path(what.snapshot)] * 2
    assert Path(what.snapshot).read_text() == "whole\n"
    assert attempts(tmp_path) == 1


@pytest.mark.parametrize("end", ["exit 1", "kill -9 $$", "rm blob"])
def test_a_set_that_cannot_be_in_a_snapshot_waits_without_one_and_is_not_tried_again(
    tmp_path: Path, end: str
) -> None:
    what = keepable(tmp_path, f"{WRITES}; {end}")
    assert [snapshots.found_or_written(what) for _ in range(2)] == [None, None]
    assert not snapshots.is_there(what)
    assert attempts(tmp_path) == 1
    assert not [*(tmp_path / "snapshots").glob("unfinished-*")]


def test_a_snapshot_that_has_changed_is_of_no_use_to_anyone(tmp_path: Path) -> None:
    what = keepable(tmp_path, WRITES)
    snapshots.found_or_written(what)
    # The clock of files stands still for some milliseconds.
    os.utime(what.snapshot, ns=(1, 1))
    seen = snapshots.state(what)
    assert snapshots.found_or_written(what, seen)
    Path(what.snapshot).write_text("Whole\n")
    assert snapshots.found_or_written(what, seen) is None
    assert not snapshots.is_there(what)
