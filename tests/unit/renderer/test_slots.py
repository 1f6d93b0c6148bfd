import threading
import time
from pathlib import Path

import pytest

from plugin_image.renderer.errors import DeadlineError
from plugin_image.renderer.slots import slot
from plugin_image.renderer.supervise import Deadline


def test_no_more_renders_run_at_once_than_there_are_slots(tmp_path: Path) -> None:
    running, most, lock = 0, 0, threading.Lock()

    def render() -> None:
        nonlocal running, most
        with slot(tmp_path, 2, Deadline(20)):
            with lock:
                running += 1
                most = max(most, running)
            time.sleep(0.05)
            with lock:
                running -= 1

    threads = [threading.Thread(target=render) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 2


def test_a_render_that_gets_no_slot_in_time_says_so(tmp_path: Path) -> None:
    with (
        slot(tmp_path, 1, Deadline(20)),
        pytest.raises(DeadlineError, match="waited for one of 1 running renders"),
        slot(tmp_path, 1, Deadline(0.1)),
    ):
        pass
