"""What is kept for renders does not grow with their number."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.faults import warm_nodejs
from tests.faults.warm import Container, config_map, read, wait_until
from tests.faults.warm_nodejs import NodeContainer

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(3600)]

RENDERS = 10_000
SETTLED = 1_000
"""Renders after which all is there that ever will be."""
AT_ONCE = 3
MOST_GROWTH = 2 * 2**20
"""Bytes of memory that a process may have more at the end: what was freed is not given back."""


def with_python(place: Path) -> tuple[Container, Path]:
    """A container that is warm, and a program in it."""
    made = Container(place)
    made.until_warm()
    return made, made.project(config_map("1"))


def with_nodejs(place: Path) -> tuple[Container, Path]:
    made = NodeContainer(place)
    made.until_waiting()
    return made, made.script(warm_nodejs.config_map("1"))


@pytest.fixture(params=[with_python, with_nodejs])
def rendering(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Container, Path]]:
    container, folder = request.param(tmp_path / "container")
    yield container, folder
    container.kill()


def test_ten_thousand_renders_leave_no_more_than_a_thousand(
    rendering: tuple[Container, Path],
) -> None:
    container, folder = rendering
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
