"""The program's own SDK counts, from the oldest that is reasonable to the newest.

Python: pulumi 3.113 of April 2024, the first whose protocol has callbacks, and 3.272.
Node.js: 3.113 and 3.270. They are installed once, into the renderer's own cache.
"""

import shutil
from pathlib import Path

import pytest

from plugin_image.renderer.errors import ProgramError
from plugin_image.renderer.pulumi.options import Options
from plugin_image.renderer.pulumi.render import render
from plugin_image.renderer.settings import Settings
from tests.toolchain import cache

SDKS = Path(__file__).with_name("sdks")
OPTIONS = Options(stack="dev", config={"token": "t0ken-of-the-test"})

INSTALLING_SECONDS = 300


def stream_of(version: str, folder: Path) -> str:
    """Render the program of a language with one version of its SDK, in a copy."""
    program = folder / version
    shutil.copytree(SDKS / version.partition("-")[0], program)
    shutil.copytree(SDKS / "versions" / version, program, dirs_exist_ok=True)
    settings = Settings(
        deadline_seconds=INSTALLING_SECONDS,
        concurrency=2,
        cache=cache.folder() / "sdk-versions",
        passed_env=(),
        passphrase=None,
    )
    return render(program, OPTIONS, settings)


@pytest.mark.parametrize("version", ["python-newest", "nodejs-oldest", "nodejs-newest"])
def test_the_same_program_gives_the_same_bytes_with_every_sdk(version: str, tmp_path: Path) -> None:
    assert stream_of(version, tmp_path) == stream_of("python-oldest", tmp_path)


def test_an_sdk_that_is_too_old_is_told_by_its_version(tmp_path: Path) -> None:
    with pytest.raises(ProgramError) as refused:
        stream_of("python-too-old", tmp_path)
    assert str(refused.value) == (
        "the program failed: RuntimeError: its Pulumi SDK 3.100.0 is too old. "
        "To fix it: use pulumi 3.113.0 or newer"
    )
