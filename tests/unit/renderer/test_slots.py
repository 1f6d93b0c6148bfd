import errno
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from plugin_image.renderer.errors import DeadlineError
from plugin_image.renderer.slots import slot
from plugin_image.renderer.supervise import Deadline


def test_no_more_renders_run_at_once_than_there_are_slots(tmp_path: Path) -> None:
    running, most, lock = 0, 0, threading.Lock()
    # Each render waits until another one runs beside it.
    beside = threading.Barrier(2)

    def render() -> None:
        nonlocal running, most
        with slot(tmp_path, 2, Deadline(600)):
            with lock:
                running += 1
                most = max(most, running)
            beside.wait(timeout=60)
            with lock:
                running -= 1

    threads = [threading.Thread(target=render) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 2


def test_slots_are_given_in_the_order_of_arrival(tmp_path: Path) -> None:
    served: list[int] = []
    threads: list[threading.Thread] = []

    def render(number: int) -> None:
        with slot(tmp_path, 1, Deadline(600)):
            served.append(number)

    with slot(tmp_path, 1, Deadline(600)):
        for number in range(8):
            threads.append(threading.Thread(target=render, args=[number]))
            threads[-1].start()
            _wait_for_line(tmp_path, number + 1)
    for thread in threads:
        thread.join()
    assert served == [*range(8)]
    assert _line(tmp_path) == []


def test_who_was_killed_in_the_line_holds_up_nobody(tmp_path: Path) -> None:
    asks = (
        "import sys; from pathlib import Path; from plugin_image.renderer import slots, supervise\n"
        "with slots.slot(Path(sys.argv[1]), 1, supervise.Deadline(600)): pass\n"
    )
    with slot(tmp_path, 1, Deadline(600)):
        killed = subprocess.Popen([sys.executable, "-c", asks, tmp_path])
        _wait_for_line(tmp_path, 1)
        killed.kill()
        killed.wait()
    with slot(tmp_path, 1, Deadline(600)):
        assert _line(tmp_path) == []


def test_who_gives_up_leaves_the_line(tmp_path: Path) -> None:
    with slot(tmp_path, 1, Deadline(600)):
        with pytest.raises(DeadlineError), slot(tmp_path, 1, Deadline(0)):
            pass
        assert _line(tmp_path) == []


def test_slots_bound_renders_though_nobody_can_stand_in_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "rename", fail)
    with (
        slot(tmp_path, 1, Deadline(600)),
        pytest.raises(DeadlineError),
        slot(tmp_path, 1, Deadline(0)),
    ):
        pass


def _line(folder: Path) -> list[str]:
    """Those that others see; who has just come is hidden until it holds its place."""
    return [path.name for path in folder.glob("[0-9]*-*")]


def _wait_for_line(folder: Path, length: int) -> None:
    end = time.monotonic() + 60
    while len(_line(folder)) < length:
        assert time.monotonic() < end, f"only {_line(folder)} stand in line"
        time.sleep(0.001)


def test_a_render_that_gets_no_slot_in_time_says_so(tmp_path: Path) -> None:
    with (
        slot(tmp_path, 1, Deadline(600)),
        pytest.raises(DeadlineError, match="waited for one of 1 running renders"),
        slot(tmp_path, 1, Deadline(0)),
    ):
        pass
