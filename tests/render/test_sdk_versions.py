"""The program's own SDK counts, from the oldest that is reasonable to the newest.

Python: pulumi 3.113 of April 2024, the first whose protocol has callbacks, and 3.272, and the
last pulumi-kubernetes 3.
Node.js: 3.113 and 3.270. They are installed once, into the renderer's own cache.
"""

from pathlib import Path

import pytest

from plugin_image.renderer.errors import ProgramError
from tests.render.sdk_programs import stream_of

pytestmark = pytest.mark.long


@pytest.mark.parametrize(
    "version", ["python-newest", "python-kubernetes3", "nodejs-oldest", "nodejs-newest"]
)
def test_the_same_program_gives_the_same_bytes_with_every_sdk(version: str, tmp_path: Path) -> None:
    assert stream_of(version, tmp_path) == stream_of("python-oldest", tmp_path)


def test_an_sdk_that_is_too_old_is_told_by_its_version(tmp_path: Path) -> None:
    with pytest.raises(ProgramError) as refused:
        stream_of("python-too-old", tmp_path)
    assert str(refused.value) == (
        "the program failed: RuntimeError: its Pulumi SDK 3.100.0 is too old. "
        "To fix it: use pulumi 3.113.0 or newer"
    )
