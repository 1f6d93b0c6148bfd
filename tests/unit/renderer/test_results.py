"""A result is kept only if all that its run looked at was the same from its begin to its end."""

import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from plugin_image.renderer import results
from plugin_image.renderer.rendering import Result
from plugin_image.renderer.request import Request
from plugin_image.renderer.results import Shelf
from plugin_image.renderer.watch import Seen
from tests.asking import request

KEY = bytes(32)
RESULT = Result("a: b\n", [])


def shelf(asked: Request) -> Shelf:
    found = results.shelf("toy", asked, KEY)
    assert found
    return found


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder beside the repository that nothing has happened to for a while."""
    folder = tmp_path / "outside"
    (folder / "below").mkdir(parents=True)
    (folder / "file").write_text("1")
    while time.time() <= folder.stat().st_ctime:
        # The kernel's clock for files is behind by a tick.
        os.sched_yield()
    return folder


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Request:
    # What is in the folder for temporary files is of a render alone.
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    (tmp_path / "app").mkdir()
    return request(tmp_path / "app", tmp_path / "cache")


CHANGES: dict[str, Callable[[Path], object]] = {
    "a file is new": lambda folder: (folder / "new").touch(),
    "a file is gone": lambda folder: (folder / "file").unlink(),
    "a file has another name": lambda folder: (folder / "file").rename(folder / "other"),
    "a folder is new": lambda folder: (folder / "new").mkdir(),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_folder_that_was_listed_and_changed_before_the_end_leaves_no_result(
    asked: Request, outside: Path, change: Callable[[Path], object]
) -> None:
    place = shelf(asked)
    change(outside)
    place = replace(place, begun=min(place.begun, outside.stat().st_ctime))
    place.keep(RESULT, replace(asked, seen=Seen(listed={str(outside)})))
    assert shelf(asked).found() is None


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_folder_that_was_listed_counts(
    asked: Request, outside: Path, change: Callable[[Path], object]
) -> None:
    shelf(asked).keep(RESULT, replace(asked, seen=Seen(listed={str(outside)})))
    (outside / "below" / "new").touch()
    assert shelf(asked).found() == RESULT
    change(outside)
    assert shelf(asked).found() is None
