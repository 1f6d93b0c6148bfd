"""A failure of a Python program is told with its place there, however it came to the runner."""

import asyncio
import runpy
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from plugin_image.renderer.pulumi.hosts.python_runner import describe


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path.resolve()


def functions(root: Path, program: str) -> dict[str, Any]:
    """What a program defines."""
    (root / "__main__.py").write_text(program)
    return runpy.run_path(str(root / "__main__.py"))


async def waits(output: Awaitable[None]) -> None:
    await output


async def error_of_the_second(fail: Callable[[], Awaitable[None]]) -> tuple[BaseException, object]:
    """What the second gets of two that wait for an output that fails; and the outputs."""
    output = asyncio.ensure_future(fail())
    both = [asyncio.ensure_future(waits(output)) for _ in range(2)]
    await asyncio.wait(both)
    with pytest.raises(ValueError) as raised:
        await both[1]
    return raised.value, (output, both)


def test_where_an_output_fails_is_told_to_the_second_that_waits_for_it(root: Path) -> None:
    fail = functions(root, "async def fail():\n    raise ValueError('boom')\n")["fail"]
    error, _outputs = asyncio.run(error_of_the_second(fail))
    told = describe(error, str(root))
    assert (told["text"], told["place"]) == ("ValueError: boom", "__main__.py:2")
    assert told["traceback"].startswith("Traceback") and ", in fail" in told["traceback"]


def test_where_a_transform_fails_is_told_by_the_words_of_the_sdk(root: Path) -> None:
    file = root / "lib" / "labels.py"
    said = f'a transform failed: boom:\n  File "{file}", line 7, in label\n    x()\n'
    told = describe(Exception(said), str(root))
    assert told["text"] == "Exception: a transform failed: boom"
    assert told["place"] == "lib/labels.py:7"


def test_what_is_not_in_the_program_is_no_place(root: Path) -> None:
    said = 'a transform failed: boom:\n  File "/usr/lib/labels.py", line 7, in label\n'
    assert describe(Exception(said), str(root))["place"] == ""
