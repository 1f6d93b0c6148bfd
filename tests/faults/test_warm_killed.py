"""Whatever is killed of what is kept, and whenever, no render is lost, and none is wrong."""

import os
import random
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from tests.faults.warm import config_map, wait_until
from tests.faults.warm_nodejs import NodeContainer

pytestmark = pytest.mark.thorough

KILLS = 200
RENDERS_AT_ONCE = 3
SCRIPT = (
    "new k8s.core.v1.ConfigMap('found', { metadata: { name: 'found' }, data: { value: '1' } });"
)


@pytest.fixture
def container(tmp_path: Path) -> Iterator[NodeContainer]:
    made = NodeContainer(tmp_path / "container")
    yield made
    made.kill()


class Killer(threading.Thread):
    """Kills one of the processes that are kept or render, at random, time and again."""

    def __init__(self, container: NodeContainer) -> None:
        super().__init__()
        self._container = container
        self._random = random.Random(19)
        self.killed: list[str] = []

    def run(self) -> None:
        while len(self.killed) < KILLS:
            time.sleep(self._random.uniform(0.0, 0.5))
            there = self._container.there()
            if there:
                pid = self._random.choice(there)
                with suppress(OSError):
                    command = Path(f"/proc/{pid}/cmdline").read_bytes()
                    os.kill(pid, signal.SIGKILL)
                    self.killed.append(command.replace(b"\0", b" ").decode())


def test_every_render_is_whole_or_an_error_in_words(container: NodeContainer) -> None:
    """A program's own process is killed, too: then the render may fail, and says so."""
    folders = [container.project(config_map("1"), ""), container.script(SCRIPT)]
    expected = [container.generate(folder, RENDERER_WARM_DIR="")[1] for folder in folders]
    assert all("kind: ConfigMap" in each for each in expected)
    killer = Killer(container)
    failed = []

    def render(worker: int) -> int:
        count = 0
        while killer.is_alive():
            count += 1
            which = (worker + count) % len(folders)
            status, stdout, stderr = container.generate(folders[which])
            if (status, stdout) != (0, expected[which]):
                failed.append((which, status, stdout, stderr))
        return count

    killer.start()
    with ThreadPoolExecutor(RENDERS_AT_ONCE) as pool:
        counts = [*pool.map(render, range(RENDERS_AT_ONCE))]
    wrong = [
        each for each in failed if each[1] == 0 or each[2] or "ended by SIGKILL" not in each[3]
    ]
    assert wrong == [], f"{len(wrong)} of {sum(counts)} renders"
    wait_until(container.is_quiet)
    assert [*(container.place / "tmp").iterdir()] == []
