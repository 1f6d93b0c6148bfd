"""In a view some folders may be changed, and every path comes to the same place as before."""

from pathlib import Path

import pytest

from plugin_image.renderer.pulumi.monitor.plugin import local_view


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A repository with an application, an overlay that is in it, and what is beside these."""
    top = tmp_path.resolve() / "repository"
    for name in (".git/config", "app/a", "app/overlay/b", "app/.git/x", "beside/c", "d"):
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(name)
    (top / "app" / "link").symlink_to("../beside/c")
    (top / "alias").symlink_to("app")
    return top


def laid_out(top: Path, *names: str) -> Path:
    view = top.parent / "view"
    local_view.lay_out([top / name for name in names], view)
    return local_view.place(top, view)


def test_files_of_a_copy_are_below_it_and_what_is_beside_is_where_it_was(top: Path) -> None:
    there = laid_out(top, "app/overlay", "app")
    for name in ("app/a", "app/overlay/b"):
        assert (there / name).resolve() == there / name
        assert (there / name).read_text() == name
    assert (there / "app" / "link").read_text() == "beside/c"
    assert (there / "alias/a").resolve() == there / "app/a"
    assert (there / "app/../beside/c").resolve() == top / "beside/c"
    assert (there / "app/../../view").exists(), "also outside of the repository"
    assert not (there / "app" / ".git").exists()


def test_a_copy_is_changed_and_the_folder_is_not(top: Path) -> None:
    there = laid_out(top, "app/overlay")
    (there / "app/overlay/b").unlink()
    (there / "app/overlay/b").write_text("other")
    assert (top / "app/overlay/b").read_text() == "app/overlay/b"
    assert (there / "app/a").is_symlink(), "nothing was copied that nobody asked for"


def test_two_copies_may_lie_in_one_folder(top: Path) -> None:
    there = laid_out(top, "beside", "app/overlay")
    assert not (there / "beside").is_symlink()
    assert not (there / "app/overlay").is_symlink()
    assert (there / "d").is_symlink()


def test_what_cannot_be_had_again_as_a_second_name_is_copied(
    top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError

    monkeypatch.setattr("os.link", refuse)
    there = laid_out(top, "app")
    assert (there / "app/a").read_text() == "app/a"
    assert (there / "app/link").is_symlink()


def test_a_folder_with_many_files_is_not_small(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert local_view.is_small(top)
    monkeypatch.setattr(local_view, "_MOST_FILES", 3)
    assert not local_view.is_small(top)
    assert local_view.is_small(top / "beside")
