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


def repository(asked: Request, tmp_path: Path) -> Request:
    """A request for the same in an Application's folder that is called as a cluster is."""
    folder = tmp_path / "3f2a-91b7-copied" / "clusters" / "cluster1"
    folder.mkdir(parents=True)
    (folder.parents[1] / ".git").mkdir()
    return request(folder, tmp_path / "cache")


def test_the_name_of_a_folder_in_the_repository_may_be_told(asked: Request, tmp_path: Path) -> None:
    here = repository(asked, tmp_path)
    told = Result("namespace: cluster1\n", [])
    shelf(here).keep(told, replace(here, seen=Seen()))
    assert shelf(here).found() == told


@pytest.mark.parametrize("text", ["3f2a-91b7-copied", "{tmp}", "<object at 0x7f0a12>"])
def test_what_is_of_one_render_alone_is_not_kept(asked: Request, tmp_path: Path, text: str) -> None:
    here = repository(asked, tmp_path)
    told = Result(text.format(tmp=tmp_path / "tmp"), [])
    shelf(here).keep(told, replace(here, seen=Seen()))
    assert shelf(here).found() is None
