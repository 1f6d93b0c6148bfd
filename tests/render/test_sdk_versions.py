"""The program's own SDK counts, from the oldest that is reasonable to the newest.

Python: pulumi 3.113 of April 2024, the first whose protocol has callbacks, and 3.272.
Node.js: 3.113 and 3.270. They are installed once, into the renderer's own cache.
"""

from pathlib import Path

import pytest

from plugin_image.renderer.errors import ProgramError
from plugin_image.renderer.options import Options
from plugin_image.renderer.render import render
from plugin_image.renderer.settings import Settings
from tests.toolchain import cache

PROGRAMS = Path(__file__).with_name("sdks")
OPTIONS = Options(stack="dev", config={"token": "t0ken-of-the-test"})

INSTALLING_SECONDS = 300


def stream_of(name: str) -> str:
    settings = Settings(
        deadline_seconds=INSTALLING_SECONDS,
        concurrency=2,
        cache=cache.folder() / "sdk-versions",
        passed_env=(),
        passphrase=None,
    )
    return render(PROGRAMS / name, OPTIONS, settings)


@pytest.mark.parametrize("name", ["python-newest", "nodejs-oldest", "nodejs-newest"])
def test_the_same_program_gives_the_same_bytes_with_every_sdk(name: str) -> None:
    assert stream_of(name) == stream_of("python-oldest")


def test_an_sdk_that_is_too_old_is_told_by_its_version() -> None:
    with pytest.raises(ProgramError) as refused:
        stream_of("python-too-old")
    assert str(refused.value) == (
        "the program failed: RuntimeError: its Pulumi SDK 3.100.0 is too old. "
        "To fix it: use pulumi 3.113.0 or newer"
    )
