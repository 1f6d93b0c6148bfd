import sys
from pathlib import Path

from plugin_image.renderer import supervise
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
