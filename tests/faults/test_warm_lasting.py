"""What is kept for renders does not grow with their number."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.faults.warm import Container, config_map, read, wait_until

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(3600)]

RENDERS = 10_000
SETTLED = 1_000
"""Renders after which all is there that ever will be."""
AT_ONCE = 3
MOST_GROWTH = 2 * 2**20
"""Bytes of memory that a process may have more at the end: what was freed is not given back."""


@pytest.fixture
def container(tmp_path: Path) -> Iterator[Container]:
    made = Container(tmp_path / "container")
    made.until_warm()
    yield made
    made.kill()


def test_ten_thousand_renders_leave_no_more_than_a_thousand(container: Container) -> None:
    folder = container.project(config_map("1"))
    expected = container.generate(folder)
    assert expected[0] == 0, expected

    def render(count: int) -> None:
        with ThreadPoolExecutor(AT_ONCE) as pool:
            for outcome in pool.map(lambda _: container.generate(folder), range(count)):
                assert outcome == expected
        wait_until(container.is_ready)

    render(SETTLED)
    kept, files, before = container.kept(), descriptors(container), memory(container)
    on_disk = entries(container.place)
    render(RENDERS - SETTLED)
    assert container.kept() == kept, "they were started again"
    assert descriptors(container) == files
    assert entries(container.place) == on_disk
    after = memory(container)
    grown = {pid: after[pid] - before[pid] for pid in kept}
    assert all(size < MOST_GROWTH for size in grown.values()), grown


def descriptors(container: Container) -> dict[int, int]:
    return {pid: len(os.listdir(f"/proc/{pid}/fd")) for pid in container.kept()}  # noqa: PTH208


def memory(container: Container) -> dict[int, int]:
    """Bytes that each process has for itself."""
    return {pid: int(anonymous(pid).split()[0]) * 1024 for pid in container.kept()}


def anonymous(pid: int) -> str:
    return read(pid, "status").partition("RssAnon:")[2]


def entries(folder: Path) -> int:
    return sum(1 for _ in folder.rglob("*"))
