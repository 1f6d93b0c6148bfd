"""The state of what is at a path differs as soon as anything does that a program could see."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from plugin_image.renderer import states
from plugin_image.renderer.states import UntoldError

CHANGES: dict[str, Callable[[Path], object]] = {
    "a byte": lambda folder: (folder / "file").write_text("other"),
    "a mode": lambda folder: (folder / "file").chmod(0o755),
    "a name": lambda folder: (folder / "file").rename(folder / "another"),
    "a new file": lambda folder: (folder / "new").touch(),
    "a new folder": lambda folder: (folder / "new").mkdir(),
    "a lost file": lambda folder: (folder / "below" / "file").unlink(),
    "a file that was a folder": lambda folder: as_file(folder / "empty"),
    "a file in another folder": lambda folder: (folder / "below/file").rename(folder / "empty/f"),
    "a link's target": lambda folder: leading_to(folder / "link", "below"),
    "a link in place of a file": lambda folder: leading_to(folder / "file", "below/file"),
}


def as_file(folder: Path) -> None:
    folder.rmdir()
    folder.touch()


def leading_to(link: Path, target: str) -> None:
    link.unlink()
    link.symlink_to(target)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Files, a folder with nothing in it, and a link."""
    made = tmp_path / "folder"
    (made / "below").mkdir(parents=True)
    (made / "empty").mkdir()
    (made / "file").write_text("content")
    (made / "below" / "file").write_text("content")
    (made / "link").symlink_to("file")
    return made


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_the_state_of_a_tree_tells_of_each_change(
    folder: Path, change: Callable[[Path], object]
) -> None:
    before = states.of_tree(str(folder))
    assert states.of_tree(str(shutil.copytree(folder, f"{folder}-2", symlinks=True))) == before
    change(folder)
    assert states.of_tree(str(folder)) != before


def test_what_git_has_for_itself_is_no_part_of_a_tree(folder: Path) -> None:
    before = states.of_tree(str(folder))
    (folder / ".git").mkdir()
    assert states.of_tree(str(folder)) == before


@pytest.mark.parametrize("target", ["../outside", "/etc/hostname", "below/../../outside"])
def test_nothing_is_told_of_a_tree_with_a_link_that_leads_out_of_it(
    folder: Path, target: str
) -> None:
    (folder / "out").symlink_to(target)
    with pytest.raises(UntoldError):
        states.of_tree(str(folder))


@pytest.mark.parametrize("target", [".git", ".git/HEAD", "."])
def test_nothing_is_told_of_a_tree_with_a_link_to_what_git_has_for_itself(
    folder: Path, target: str
) -> None:
    (folder / "own").symlink_to(target)
    (folder / ".git").mkdir()
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main")
    with pytest.raises(UntoldError):
        states.of_tree(str(folder))


def test_nothing_is_told_of_what_is_no_file(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    for of in (states.of_content, states.of_identity):
        with pytest.raises(UntoldError):
            of(str(folder / "pipe"))
    with pytest.raises(UntoldError):
        states.of_tree(str(folder))


def test_nothing_is_told_of_too_much(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(states, "MOST_BYTES", 10)
    with pytest.raises(UntoldError):
        states.of_tree(str(folder))
    monkeypatch.undo()
    monkeypatch.setattr(states, "MOST_FILES", 3)
    with pytest.raises(UntoldError):
        states.of_tree(str(folder))


def test_a_link_in_a_circle_is_told_of_no_more_than_it_can_be_followed(tmp_path: Path) -> None:
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")
    with pytest.raises(UntoldError):
        states.of_content(str(tmp_path / "one"))


def test_a_path_tells_of_the_links_that_lead_there(folder: Path) -> None:
    before = states.of_content(str(folder / "link"))
    assert before != states.of_content(str(folder / "file"))
    (folder / "file").write_text("other")
    assert states.of_content(str(folder / "link")) != before


def test_what_is_not_there_is_told_apart_from_what_is_empty(folder: Path) -> None:
    for of in (states.of_content, states.of_identity, states.of_listing):
        assert of(str(folder / "nothing")) != of(str(folder / "empty"))


def test_the_identity_of_a_file_is_not_that_of_its_copy(folder: Path) -> None:
    copy = shutil.copy2(folder / "file", folder / "copy")
    before = states.of_identity(str(folder / "file"))
    assert states.of_identity(str(copy)) != before
    assert states.of_identity(str(folder / "file")) == before
    (folder / "file").write_text("CONTENT")
    assert states.of_identity(str(folder / "file")) != before


def test_a_listing_tells_of_names_and_kinds_and_of_no_content(folder: Path) -> None:
    before = states.of_listing(str(folder))
    (folder / "file").write_text("other")
    assert states.of_listing(str(folder)) == before
    as_file(folder / "empty")
    assert states.of_listing(str(folder)) != before


def test_what_was_changed_after_a_moment_is_not_settled(folder: Path) -> None:
    changed = (folder / "file").stat().st_ctime
    assert states.is_settled(str(folder / "file"), changed + 1)
    assert not states.is_settled(str(folder / "file"), changed)
    assert not states.is_settled(str(folder / "nothing" / "below"), changed - 1)
    listed = folder.stat().st_ctime
    assert states.is_settled(str(folder), listed)
    assert not states.is_settled(str(folder), listed, is_listed=True)
    assert states.is_settled(str(folder), listed + 1, is_listed=True)
