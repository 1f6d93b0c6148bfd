"""What is installed once is complete, makes room, and is done without where it cannot be kept."""

import os
import random
import resource
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from plugin_image.renderer import cache as cache_module
from plugin_image.renderer.cache import Cache
from plugin_image.renderer.eviction import Entry, least_recently_used
from plugin_image.renderer.slots import exclusive, slot
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
    return Cache(folder / "cache", folder / "scratch", Deadline(600), most_bytes)


def install(
    used: Cache, project: Path, lock: str, fill: Callable[[Path], None] | None = None
) -> Path:
    """The set that the lock file `lock` stands for."""
    (project / "lock").write_text(lock)
    return used.once("python", project, [project / "lock"], fill or Installer())


def unused_for(path: Path, seconds: float) -> None:
    os.utime(path, times=(time.time() - seconds,) * 2)


def keep_later(used: Cache, name: str, content: bytes) -> None:
    """Keep a file so long after the last one that room is made again."""
    if (used.folder / "room").exists():
        unused_for(used.folder / "room", 3600)
    used.keep(Path("typescript", name), content)


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
    with exclusive(going_on.with_suffix(".lock"), Deadline(600), "it was tested"):
        install(cache(tmp_path), project, "a")
    assert going_on.exists()


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: (path / "bin" / "program").write_text("x"),
        lambda path: (path / "bin" / "program").unlink(),
        lambda path: (path / "bin" / "link").unlink(),
        lambda path: shutil.rmtree(path / "bin"),
        shutil.rmtree,
    ],
    ids=["cut", "lost", "a link is lost", "a folder is lost", "all is lost"],
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
    downloads = tmp_path / "cache" / "tools" / "uv"
    downloads.mkdir(parents=True)
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


def test_what_is_used_while_room_is_made_stays(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sets = {name: install(cache(tmp_path), project, name, Installer(400)) for name in "ab"}
    for path in sets.values():
        unused_for(path, 10_000)

    def choose_late(*arguments: Any) -> list[Entry]:
        chosen = least_recently_used(*arguments)
        install(cache(tmp_path), project, "a")
        return chosen

    monkeypatch.setattr(cache_module, "least_recently_used", choose_late)
    install(cache(tmp_path, most_bytes=1), project, "c")
    assert sets["a"].exists(), "another render has begun to use it"
    assert not sets["b"].exists()


def test_what_a_render_with_much_time_may_use_stays(tmp_path: Path, project: Path) -> None:
    first = install(cache(tmp_path), project, "a", Installer(1000))
    for age, stays in ((950, True), (970, False)):
        unused_for(first, age)
        used = Cache(tmp_path / "cache", tmp_path / "scratch", Deadline(900), 1)
        keep_later(used, "a", b"")
        assert first.exists() == stays


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
        used = Cache(Path("/proc/self"), tmp_path / "scratch", Deadline(600), 2**30)
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
    keep_later(used, "d", bytes(400))
    assert [name.name for name in names if used.kept(name)] == ["c"]


def test_small_files_have_room_made_now_and_then_and_large_ones_at_once(tmp_path: Path) -> None:
    used, first = cache(tmp_path, most_bytes=1000), tmp_path / "cache" / "typescript" / "a"
    used.keep(Path("typescript", "a"), bytes(600))
    unused_for(first, 3600)
    used.keep(Path("typescript", "b"), bytes(600))
    assert first.exists()
    used.keep(Path("typescript", "c"), bytes(2**20 + 1))
    assert not first.exists()


def test_a_clock_that_was_ahead_does_not_keep_room_from_being_made(tmp_path: Path) -> None:
    used, first = cache(tmp_path, most_bytes=1000), tmp_path / "cache" / "typescript" / "a"
    used.keep(Path("typescript", "a"), bytes(600))
    unused_for(first, 3600)
    unused_for(tmp_path / "cache" / "room", -3600)
    used.keep(Path("typescript", "b"), bytes(600))
    assert not first.exists()


def test_files_leave_nothing_beside_them(tmp_path: Path) -> None:
    used = cache(tmp_path)
    for name in "abc":
        used.keep(Path("typescript", name), b"content")
    assert {path.name for path in (tmp_path / "cache" / "typescript").iterdir()} == {*"abc"}


def test_a_file_that_cannot_be_written_to_its_end_leaves_nothing(tmp_path: Path) -> None:
    used = cache(tmp_path)
    used.keep(Path("typescript", "first"), b"first")
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    # More is a signal first, which ends the process, and an error where that is ignored.
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2**10, limit[1]))
    try:
        used.keep(Path("typescript", "second"), b"x" * 2**12)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        signal.signal(signal.SIGXFSZ, ignored)

    assert [path.name for path in (used.folder / "typescript").iterdir()] == ["first"]


def test_what_a_killed_render_has_not_written_to_its_end_goes_later(tmp_path: Path) -> None:
    used = cache(tmp_path)
    used.keep(Path("typescript", "a"), b"")
    partial = tmp_path / "cache" / "typescript" / "x.partial"
    partial.touch()
    keep_later(used, "a", b"")
    assert partial.exists()
    unused_for(partial, 3600)
    keep_later(used, "a", b"")
    assert not partial.exists()


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
    for size, stays in ((1000, True), (1001, False)):
        (folder / "a").write_bytes(bytes(size))
        assert used.folder_of("v8").exists(), "it was looked at just now"
        unused_for(folder, 3600)
        assert used.folder_of("v8").exists() == stays


NOW, LATELY = 1_000_000.0, 600


def entries(seed: int) -> list[Entry]:
    """Some entries, of which some may be in use."""
    drawn = random.Random(seed)
    return [
        Entry(Path(str(n)), drawn.randint(0, 100), NOW - drawn.randint(0, 4 * LATELY))
        for n in range(drawn.randint(0, 12))
    ]


@pytest.mark.parametrize("seed", range(200))
class TestMakingRoom:
    """What holds for any entries and any bound."""

    def test_what_may_be_in_use_is_never_removed(self, seed: int) -> None:
        removed = least_recently_used(entries(seed), seed, NOW - LATELY)
        assert all(NOW - entry.last_use >= LATELY for entry in removed)

    def test_the_bound_holds_afterwards_but_for_what_may_be_in_use(self, seed: int) -> None:
        removed = least_recently_used(entries(seed), seed, NOW - LATELY)
        left = [entry for entry in entries(seed) if entry not in removed]
        idle = [entry for entry in left if NOW - entry.last_use >= LATELY]
        assert sum(entry.bytes for entry in left) <= seed or not idle

    def test_what_is_removed_was_used_before_all_that_stays(self, seed: int) -> None:
        removed = least_recently_used(entries(seed), seed, NOW - LATELY)
        left = [entry.last_use for entry in entries(seed) if entry not in removed]
        assert max((entry.last_use for entry in removed), default=0) <= min(left, default=NOW)

    def test_nothing_is_removed_that_could_stay(self, seed: int) -> None:
        removed = least_recently_used(entries(seed), seed, NOW - LATELY)
        left = sum(entry.bytes for entry in entries(seed) if entry not in removed)
        assert not removed or left + removed[-1].bytes > seed


@pytest.mark.parametrize("seed", range(20))
def test_entries_of_all_forms_make_room_by_the_same_rule(
    tmp_path: Path, project: Path, seed: int
) -> None:
    drawn, used = random.Random(seed), cache(tmp_path)
    made: list[Path] = []
    for number in range(8):
        size = drawn.randint(1, 400)
        match drawn.choice(["set", "file", "tool"]):
            case "set":
                made.append(install(used, project, f"{number}", Installer(size)))
            case "file":
                used.keep(Path("typescript", f"{number}"), bytes(size))
                made.append(tmp_path / "cache" / "typescript" / f"{number}")
            case "tool":
                made.append(used.downloads(f"{number}"))
                made[-1].mkdir(parents=True)
                (made[-1] / "file").write_bytes(bytes(size))
    drawn.shuffle(made)
    for age, path in enumerate(made):
        unused_for(path, 10_000 - age)
    keep_later(cache(tmp_path, most_bytes=900), "last", b"")
    stays = [path.exists() for path in made]
    assert stays == sorted(stays), "one that was used before stays"
    held = sum(p.lstat().st_size for p in (tmp_path / "cache").rglob("*") if p.is_file())
    notes = sum(p.stat().st_size for p in (tmp_path / "cache").rglob("sizes.json"))
    assert held - notes <= 900


@pytest.mark.parametrize("noted", ["", "{", "[]", '{"bin/program": "10"}'])
def test_a_list_of_sizes_that_cannot_be_read_fails_no_render(
    tmp_path: Path, project: Path, noted: str
) -> None:
    damaged = install(cache(tmp_path), project, "a")
    (damaged / "sizes.json").write_text(noted)
    assert install(cache(tmp_path), project, "b").exists()
    assert cache(tmp_path).remove_damaged(damaged)
    assert not damaged.exists()


def test_a_set_that_cannot_be_kept_is_made_for_one_render(tmp_path: Path, project: Path) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "python").touch()
    assert install(cache(tmp_path), project, "a").is_relative_to(tmp_path / "scratch")


def test_what_a_link_leads_to_is_never_removed(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "file").write_bytes(bytes(1000))
    for link in ("kind", "tools/go-build"):
        (tmp_path / "cache" / link).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "cache" / link).symlink_to(other)
    unused_for(other, 10_000)
    unused_for(other / "file", 10_000)
    cache(tmp_path, most_bytes=1).keep(Path("typescript", "a"), b"")
    assert (other / "file").exists()


def test_machine_code_that_cannot_be_kept_is_made_for_one_render(tmp_path: Path) -> None:
    (tmp_path / "cache").touch()
    assert cache(tmp_path).folder_of("v8").is_relative_to(tmp_path / "scratch")


def test_slots_are_no_entries(tmp_path: Path) -> None:
    with slot(tmp_path / "cache" / "slots", 2, Deadline(600)):
        held = [*(tmp_path / "cache" / "slots").iterdir()]
        for path in held:
            unused_for(path, 10_000)
        cache(tmp_path, most_bytes=0).keep(Path("typescript", "a"), b"content")
        assert all(path.exists() for path in held)
