import errno

import pytest

from plugin_image.renderer import errors
from plugin_image.renderer.errors import RenderError


def test_a_long_message_keeps_its_beginning_and_its_end() -> None:
    error = RenderError(
        "a" * 60_000_000 + "end", fix="correct it", details="b" * 60_000_000 + "last"
    )
    first, details = error.report().splitlines()
    assert first.startswith("aaa")
    assert first.endswith("end. To fix it: correct it")
    assert details.startswith("bbb")
    assert details.endswith("last")
    assert "[… 59967236 characters …]" in details
    assert len(error.report()) < 40_000


def test_an_ordinary_message_is_told_whole() -> None:
    assert RenderError("why", fix="how", details="a\nb").report() == "why. To fix it: how\na\nb"


def test_a_sentence_of_others_keeps_one_full_stop() -> None:
    assert str(RenderError("it failed.", fix="try again")) == "it failed. To fix it: try again"


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable"), "podPidsLimit"),
        (RuntimeError("can't start new thread"), "podPidsLimit"),
        (MemoryError(), "memory limit"),
    ],
)
def test_a_limit_of_the_container_is_named(error: Exception, said: str) -> None:
    exhausted = errors.exhausted(error)
    assert exhausted
    assert said in str(exhausted)
    assert errors.outcome_of(error) is exhausted.outcome


def test_another_error_comes_from_no_limit() -> None:
    assert errors.exhausted(RuntimeError("a mistake")) is None
