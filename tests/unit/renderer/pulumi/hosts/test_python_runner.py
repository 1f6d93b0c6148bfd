"""A failure of a Python program is told with its place there, however it came to the runner, and
with a remedy."""

import asyncio
import json
import runpy
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pulumi
import pytest

from plugin_image.renderer.pulumi.hosts import python
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


def raised_by(root: Path, body: str) -> BaseException:
    """What a function of a program raises."""
    with pytest.raises(Exception) as raised:
        functions(root, f"def fail():\n{body}")["fail"]()
    return raised.value


@pytest.mark.parametrize(
    ("body", "text", "place"),
    [
        (
            "    raise ExceptionGroup('tasks', [ValueError('one'), KeyError('two')])\n",
            "ValueError: one, the first of 2 errors",
            "__main__.py:2",
        ),
        (
            "    try:\n        int('x')\n    except ValueError as error:\n"
            "        raise RuntimeError('no number') from error\n",
            "RuntimeError: no number, because of ValueError: invalid literal for int() with base "
            "10: 'x'",
            "__main__.py:5",
        ),
        (
            "    raise RuntimeError('no answer') from OSError('of a library')\n",
            "RuntimeError: no answer",
            "__main__.py:2",
        ),
        (
            "    try:\n        int('x')\n    except ValueError as error:\n"
            "        raise RuntimeError(f'no number: {error}') from error\n",
            "RuntimeError: no number: invalid literal for int() with base 10: 'x'",
            "__main__.py:5",
        ),
        (
            "    one, other = ValueError('one'), KeyError('two')\n"
            "    other.__cause__ = one\n    raise one from other\n",
            "ValueError: one",
            "__main__.py:4",
        ),
    ],
    ids=[
        *("a group", "a cause in the program", "a cause elsewhere", "a cause that is told"),
        "an error among its own causes",
    ],
)
def test_what_an_error_stands_for_is_told(root: Path, body: str, text: str, place: str) -> None:
    told = describe(raised_by(root, body), str(root))
    assert (told["text"], told["place"]) == (text, place)


@pytest.mark.parametrize(
    ("use", "remedy"),
    [
        (lambda output: json.dumps({"name": output}), "pulumi.Output.json_dumps"),
        (lambda output: "shop-" + output, "pulumi.Output.concat"),
        (lambda output: output + "-shop", "pulumi.Output.concat"),
        (lambda output: ",".join([output]), "pulumi.Output.concat"),
        (lambda output: output.upper(), "output.apply"),
    ],
    ids=["JSON", "behind a string", "before a string", "in a list of strings", "a method"],
)
def test_what_an_output_cannot_do_is_told_with_what_does_it(
    root: Path, use: Callable[[Any], Any], remedy: str
) -> None:
    async def used() -> None:
        use(pulumi.Output.from_input("web"))

    with pytest.raises(TypeError) as raised:
        asyncio.run(used())
    assert remedy in python._failure(describe(raised.value, str(root))).fix


@pytest.mark.parametrize(
    ("said", "remedy"),
    [("", "kustomize.Directory"), (", for data of kubernetes:core/v1:ConfigMap 'a'", "a list")],
)
def test_a_list_for_a_string_is_told_apart_from_a_mistake_of_the_sdk(
    said: str, remedy: str
) -> None:
    text = f"AssertionError: Unexpected type. Expected 'list' got '<class 'str'>'{said}"
    assert remedy in python._failure({"text": text, "place": "", "traceback": "", "fix": ""}).fix
