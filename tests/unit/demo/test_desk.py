"""What the demo says of renders is checked, and they can be stopped."""

import io
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from rich.console import Console

from tests.e2e.demo.desk import PYTHON, Desk
from tests.e2e.demo.display import Display
from tests.e2e.demo.errors import DemoError
from tests.e2e.demo.shell import StoppedError
from tests.e2e.harness.processes import wait_until


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A desk without npm, whose folder is `tmp_path`."""
    monkeypatch.setenv("PATH", "/nowhere")
    return Desk(tmp_path, Display(Console(file=io.StringIO()), (), goal="", reached=""))


def test_another_result_of_the_second_render_ends_the_demo(desk: Desk, tmp_path: Path) -> None:
    program = tmp_path / PYTHON.folder / PYTHON.source
    each_time_another = program.read_text().replace('"guestbook-ui"', "str(time.time_ns())", 1)
    program.write_text(f"import time\n{each_time_another}")
    with pytest.raises(DemoError, match="the second time it gave\n---\n"):
        desk.show_first()


def test_what_runs_is_stopped_from_another_thread_and_nothing_follows(
    desk: Desk, tmp_path: Path
) -> None:
    shell, started = desk.shell, tmp_path / "started"
    with ThreadPoolExecutor(1) as worker:
        # The second process keeps the output open, so it has to end, too.
        sleeping = worker.submit(shell.run, ["/bin/sh", "-c", ": > started; /bin/sleep 60; :"])
        assert wait_until(started.exists, timeout=60)
        shell.stop()
        with pytest.raises(StoppedError):
            sleeping.result(timeout=60)
    with pytest.raises(StoppedError):
        shell.run(["/bin/true"])
