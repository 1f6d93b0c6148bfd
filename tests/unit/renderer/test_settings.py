"""What the container's variables say of renders."""

import sys
from pathlib import Path

import pytest

from plugin_image.contract import RendererEnv
from plugin_image.renderer import launch, settings
from plugin_image.renderer.launch import Start


@pytest.mark.parametrize("seconds", ["1e10", "inf"])
def test_a_deadline_that_no_wait_can_be_given_is_one_that_it_can(
    tmp_path: Path, seconds: str
) -> None:
    read = settings.from_environment({RendererEnv.DEADLINE.value: seconds})
    process = launch.spawn(Start([sys.executable, "-c", "input()"], tmp_path, {}))
    with process.said:
        process.stdin.close()
        assert process.wait(read.deadline_seconds) == 1, "it had no input"
