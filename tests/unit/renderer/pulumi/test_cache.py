"""What is installed once is complete, makes room, and is done without where it cannot be kept."""

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from plugin_image.renderer.pulumi.dependencies import Cache
from plugin_image.renderer.slots import exclusive
from plugin_image.renderer.supervise import Deadline


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


class Installer:
    """Fills folders, and counts them."""

    def __init__(self, size: int = 10) -> None:
        self.filled: list[Path] = []
        self._size = size

    def __call__(self, folder: Path) -> None:
        self.filled.append(folder)
        (folder / "bin").mkdir()
        (folder / "bin" / "program").write_text("x" * self._size)
        (folder / "bin" / "link").symlink_to("program")


def cache(folder: Path, most_bytes: int = 2**30) -> Cache:
    return Cache(folder / "cache", folder / "scratch", Deadline(20), most_bytes)


def install(
    used: Cache, project: Path, lock: str, fill: Callable[[Path], None] | None = None
) -> Path:
    """The set that the lock file `lock` stands for."""
    (project / "lock").write_text(lock)
    return used.once("python", project, [project / "lock"], fill or Installer())


def unused_for(path: Path, seconds: float) -> None:
    os.utime(path, times=(time.time() - seconds,) * 2)


def test_the_same_files_are_installed_once(tmp_path: Path, project: Path) -> None:
    fill = Installer()
    first = install(cache(tmp_path), project, "a", fill)
    assert install(cache(tmp_path), project, "a", fill) == first
    assert install(cache(tmp_path), project, "b", fill) != first
    assert len(fill.filled) == 2


def test_a_set_that_is_not_complete_is_made_again(tmp_path: Path, project: Path) -> None:
    fill = Installer()
    installed = install(cache(tmp_path), project, "a", fill)
    (installed / "sizes.json").unlink()
    assert install(cache(tmp_path), project, "a", fill) == installed
    assert len(fill.filled) == 2


def test_what_fails_leaves_nothing(tmp_path: Path, project: Path) -> None:
    def fail(folder: Path) -> None:
        (folder / "half").touch()
        raise RuntimeError

    with pytest.raises(RuntimeError):
        install(cache(tmp_path), project, "a", fail)
    assert [path for path in (tmp_path / "cache" / "python").iterdir() if path.is_dir()] == []


@pytest.mark.parametrize("name", ["0123.partial", "0123.99.removed"])
def test_what_a_killed_installation_left_goes_with_the_next_one(
    tmp_path: Path, project: Path, name: str
) -> None:
    left = tmp_path / "cache" / "python" / name
    (left / "folder").mkdir(parents=True)
    (left / "folder" / "file").touch()
    (left / "folder").chmod(0o500)
    install(cache(tmp_path), project, "a")
    assert not left.exists()


def test_what_is_being_installed_stays(tmp_path: Path, project: Path) -> None:
    going_on = tmp_path / "cache" / "python" / "0123.partial"
    going_on.mkdir(parents=True)
    with exclusive(going_on.with_suffix(".lock"), Deadline(1), "it was tested"):
        install(cache(tmp_path), project, "a")
    assert going_on.exists()


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: (path / "bin" / "program").write_text("x"),
        lambda path: (path / "bin" / "program").unlink(),
        lambda path: (path / "bin" / "link").unlink(),
        lambda path: shutil.rmtree(path / "bin"),
    ],
    ids=["cut", "lost", "a link is lost", "a folder is lost"],
)
def test_a_damaged_set_is_seen_and_made_again(
    tmp_path: Path, project: Path, damage: Callable[[Path], None]
) -> None:
    used = cache(tmp_path)
    installed = install(used, project, "a")
    assert not used.remove_damaged(installed / "bin" / "program")
    damage(installed)
    assert used.remove_damaged(installed / "bin" / "program")
    fill = Installer()
    install(cache(tmp_path), project, "a", fill)
    assert len(fill.filled) == 1


def test_files_that_are_added_are_no_damage(tmp_path: Path, project: Path) -> None:
    installed = install(cache(tmp_path), project, "a")
    (installed / "bin" / "program.pyc").touch()
    assert not cache(tmp_path).remove_damaged(installed)


def test_what_is_no_part_of_the_cache_is_never_damaged(tmp_path: Path) -> None:
    modules = tmp_path / "project" / "node_modules"
    modules.mkdir(parents=True)
    (tmp_path / "project" / "sizes.json").write_text('{"lost": 1}')
    assert not cache(tmp_path).remove_damaged(modules)
    assert not cache(tmp_path).remove_damaged(Path("/usr/bin/python3"))
    assert modules.exists()


def test_the_least_recently_used_goes_when_there_are_too_many_bytes(
    tmp_path: Path, project: Path
) -> None:
    sets = {name: install(cache(tmp_path), project, name, Installer(400)) for name in "abc"}
    downloads = tmp_path / "cache" / "uv"
    downloads.mkdir()
    (downloads / "wheel").write_text("x" * 400)
    for age, path in enumerate([sets["b"], downloads, sets["a"], sets["c"]]):
        unused_for(path, 10_000 - age)
    install(cache(tmp_path, most_bytes=1000), project, "d")
    assert {name: path.exists() for name, path in sets.items()} == {
        "a": True,
        "b": False,
        "c": True,
    }
    assert not downloads.exists()


def test_what_may_be_in_use_stays(tmp_path: Path, project: Path) -> None:
    first = install(cache(tmp_path), project, "a", Installer(1000))
    install(cache(tmp_path, most_bytes=1), project, "b")
    assert first.exists()


def test_what_is_used_again_is_not_the_least_recently_used(tmp_path: Path, project: Path) -> None:
    sets = {name: install(cache(tmp_path), project, name, Installer(400)) for name in "ab"}
    for path in sets.values():
        unused_for(path, 10_000)
    install(cache(tmp_path), project, "a")
    install(cache(tmp_path, most_bytes=500), project, "c")
    assert sets["a"].exists()
    assert not sets["b"].exists()


@pytest.mark.parametrize("kind", ["a file", "read-only", "full"])
def test_a_cache_that_cannot_be_used_is_done_without(
    tmp_path: Path, project: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    used = cache(tmp_path)
    if kind == "a file":
        (tmp_path / "cache").touch()
    elif kind == "read-only":
        # As root may write anywhere, a folder in which no file can be made.
        used = Cache(Path("/proc/self"), tmp_path / "scratch", Deadline(20), 2**30)
    else:
        usage = shutil.disk_usage(tmp_path)._replace(free=1000)
        monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    installed = install(used, project, "a")
    assert installed.is_relative_to(tmp_path / "scratch")
    assert (installed / "bin" / "program").exists()


def test_what_a_full_cache_holds_is_used(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = install(cache(tmp_path), project, "a")
    usage = shutil.disk_usage(tmp_path)._replace(free=0)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    assert install(cache(tmp_path), project, "a") == installed


def test_what_is_kept_makes_room_by_its_bytes(tmp_path: Path) -> None:
    used, names = cache(tmp_path, most_bytes=1000), [Path("typescript", name) for name in "abc"]
    for name in names:
        used.keep(name, bytes(400))
        unused_for(tmp_path / "cache" / name, 3600)
    used.keep(Path("typescript", "d"), bytes(400))
    assert [name.name for name in names if used.kept(name)] == ["c"]


@pytest.mark.parametrize("damage", [b"", b"aaa", b"\n"])
def test_what_is_kept_and_damaged_is_not_there(damage: bytes, tmp_path: Path) -> None:
    used, name = cache(tmp_path), Path("typescript", "a")
    used.keep(name, b"content")
    kept = used.kept(name)
    assert kept
    kept.write_bytes(damage)
    assert used.kept(name) is None


def test_a_folder_of_files_that_remake_themselves_is_emptied_by_its_bytes(tmp_path: Path) -> None:
    used = cache(tmp_path, most_bytes=8000)
    folder = used.folder_of("v8")
    folder.mkdir(parents=True)
    for size, stays in ((1000, True), (1001, False)):
        (folder / "a").write_bytes(bytes(size))
        assert used.folder_of("v8").exists(), "it was looked at just now"
        unused_for(folder, 3600)
        assert used.folder_of("v8").exists() == stays
