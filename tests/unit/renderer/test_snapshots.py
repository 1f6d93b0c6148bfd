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
    found = {snapshots.found_or_written(what) for _ in range(2)}
    assert [snapshot.path for snapshot in found if snapshot] == [Path(what.snapshot)]
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


def test_what_could_not_be_written_is_tried_again_after_an_hour(tmp_path: Path) -> None:
    what = keepable(tmp_path, f"{WRITES}; exit 1")
    snapshots.found_or_written(what)
    os.utime(Path(what.snapshot).parent, (0, 0))
    assert snapshots.found_or_written(what) is None
    assert attempts(tmp_path) == 2


def test_a_snapshot_that_has_changed_is_of_no_use_to_anyone(tmp_path: Path) -> None:
    what = keepable(tmp_path, WRITES)
    found = snapshots.found_or_written(what)
    assert found
    assert snapshots.found_or_written(what, found.state) == found
    # The clock of files stands still for some milliseconds.
    os.utime(found.path, ns=(1, 1))
    found.path.write_text("Whole\n")
    assert snapshots.found_or_written(what, found.state) is None
    assert not snapshots.is_there(what)


def test_a_snapshot_without_its_checksum_is_never_taken_for_one_that_was_seen(
    tmp_path: Path,
) -> None:
    what = keepable(tmp_path, WRITES)
    found = snapshots.found_or_written(what)
    assert found
    found.path.with_name("blob.sha256").unlink()
    found.path.write_text("Whole\n")
    assert [snapshots.found_or_written(what, seen) for seen in ("", found.state)] == [None, None]
