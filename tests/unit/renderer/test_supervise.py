import signal
import sys
import time
from pathlib import Path

import pytest

from plugin_image.renderer import supervise
from plugin_image.renderer.errors import DeadlineError
from plugin_image.renderer.supervise import Deadline


def test_a_result_is_kept_whole_and_apart_from_what_is_said(tmp_path: Path) -> None:
    result = tmp_path / "result"
    program = "import sys; sys.stdout.write('x' * 200_000); sys.stderr.write('warning')"
    ended = supervise.run(
        [sys.executable, "-c", program],
        doing="it ran",
        cwd=tmp_path,
        env={},
        deadline=Deadline(30),
        result=result,
    )
    assert (ended.status, ended.output) == (0, "warning")
    assert result.stat().st_size == 200_000


def test_work_that_never_looks_at_the_clock_is_interrupted() -> None:
    before = signal.getsignal(signal.SIGALRM)
    started = time.monotonic()
    with (
        pytest.raises(DeadlineError, match=r"stopped while the manifests were read"),
        Deadline(0.1).enforced("the manifests were read"),
    ):
        while True:
            pass
    assert time.monotonic() - started < 2
    assert signal.getsignal(signal.SIGALRM) == before
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0
