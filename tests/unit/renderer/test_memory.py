"""A render stops itself before the kernel stops its container."""

import resource
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from plugin_image.renderer.errors import MemoryLimitError
from plugin_image.renderer.memory import Cgroup, container, has_room, limited, may_stay
from tests.unit.renderer.waiting import wait_until

GIGABYTE = 1 << 30
SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]


@dataclass
class FakeContainer:
    """A container that is always full, or never."""

    full: bool
    limit: int = 64 * GIGABYTE
    asked: list[int] = field(default_factory=list)

    def uses_more_than(self, amount: int) -> bool:
        self.asked.append(amount)
        return self.full


def files(root: Path, contents: dict[str, str]) -> Path:
    for name, content in contents.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(content)
    return root


@dataclass
class UsedContainer:
    """A container that uses so much."""

    used: int
    limit: int = 1000

    def uses_more_than(self, amount: int) -> bool:
        return self.used > amount


@pytest.mark.parametrize(
    ("used", "needed", "has"),
    [(500, 0, True), (501, 0, False), (300, 500, True), (301, 500, False), (0, 900, False)],
)
def test_what_is_kept_takes_half_of_the_memory_and_no_start_comes_near_the_limit(
    used: int, needed: int, *, has: bool
) -> None:
    assert has_room(UsedContainer(used), needed) is has
    assert has_room(None, needed)


@pytest.mark.parametrize(("used", "stays"), [(100, True), (101, False), (600, False)])
def test_what_nobody_needs_yet_is_kept_where_nothing_has_to_make_room_for_it(
    used: int, *, stays: bool
) -> None:
    assert may_stay(UsedContainer(used), 400) is stays
    assert may_stay(UsedContainer(0), 400)
    assert may_stay(None, 400)
    assert not may_stay(UsedContainer(1), 600)


class TestTheContainer:
    def test_of_cgroup_v2_uses_what_is_no_cache_of_files(self, tmp_path: Path) -> None:
        statistics = "anon 600\nactive_file 250\ninactive_file 50\n"
        numbers = {"memory.max": "1000\n", "memory.current": "900\n", "memory.stat": statistics}
        found = container(files(tmp_path, numbers))
        assert found is not None
        assert found.limit == 1000
        assert found.uses_more_than(599)
        assert not found.uses_more_than(600)

    def test_of_cgroup_v1_has_other_names_for_it(self, tmp_path: Path) -> None:
        numbers = {
            "memory/memory.limit_in_bytes": "1000\n",
            "memory/memory.usage_in_bytes": "900\n",
            "memory/memory.stat": "active_file 9\ntotal_active_file 250\ntotal_inactive_file 50\n",
        }
        found = container(files(tmp_path, numbers))
        assert found is not None
        assert found.limit == 1000
        assert found.uses_more_than(599)
        assert not found.uses_more_than(600)

    @pytest.mark.parametrize(
        "numbers",
        [{}, {"memory.max": "max\n"}, {"memory/memory.limit_in_bytes": "9223372036854771712\n"}],
    )
    def test_without_a_limit_is_none(self, tmp_path: Path, numbers: dict[str, str]) -> None:
        assert container(files(tmp_path, numbers)) is None

    def test_asks_for_statistics_only_when_it_might_be_full(self, tmp_path: Path) -> None:
        usage = tmp_path / "usage"
        usage.write_text("10")
        assert not Cgroup(100, usage, tmp_path / "not there").uses_more_than(50)


class TestARender:
    def test_at_a_desk_is_not_limited(self) -> None:
        before = resource.getrlimit(resource.RLIMIT_DATA)
        with limited(None, 2):
            assert resource.getrlimit(resource.RLIMIT_DATA) == before

    def test_that_takes_more_than_its_share_of_a_full_container_is_stopped(self) -> None:
        # Any process at all is more than the share of one render of a billion.
        with (
            pytest.raises(MemoryLimitError, match="too much of the 65536 MiB"),
            limited(FakeContainer(full=True), 10**9),
        ):
            assert subprocess.run(SLEEP).returncode == -9

    def test_that_is_stopped_reports_the_memory_and_not_what_came_of_that(self) -> None:
        with (
            pytest.raises(MemoryLimitError),
            limited(FakeContainer(full=True), 10**9),
        ):
            subprocess.run(SLEEP, check=True)

    def test_that_takes_less_than_its_share_goes_on_while_another_one_is_stopped(self) -> None:
        fake = FakeContainer(full=True)
        with limited(fake, 2):
            wait_until(lambda: fake.asked)

    def test_of_one_process_cannot_ask_for_more_than_the_container_has(self) -> None:
        take = f"bytearray({8 * GIGABYTE})"
        with limited(FakeContainer(full=False, limit=6 * GIGABYTE), 1):
            done = subprocess.run([sys.executable, "-c", take], capture_output=True, text=True)
        assert "MemoryError" in done.stderr

    def test_leaves_no_limit_behind(self) -> None:
        before = resource.getrlimit(resource.RLIMIT_DATA)
        with limited(FakeContainer(full=False), 1):
            assert resource.getrlimit(resource.RLIMIT_DATA) != before
        assert resource.getrlimit(resource.RLIMIT_DATA) == before
