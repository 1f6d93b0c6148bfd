"""What a person is told of a run in which several things went wrong."""

import pytest

from plugin_image.renderer.errors import DeadlineError, ProgramError, RefusedError
from plugin_image.renderer.pulumi import outcome
from plugin_image.renderer.pulumi.hosts.host import Failure, Run
from plugin_image.renderer.pulumi.monitor.recording import Event, Recording
from plugin_image.renderer.pulumi.monitor.run_context import Unreadable
from plugin_image.renderer.supervise import Ended

LATE = DeadlineError("the render took longer than 1 s")
REFUSAL: Event = {"refusal": ("kubernetes:core/v1:Pod 'a' has no image", "add it")}


def test_a_refusal_is_told_though_the_program_goes_on_until_its_deadline() -> None:
    run = Run(events=[REFUSAL], ended=Ended(status=-9, output="", late=LATE))
    with pytest.raises(RefusedError) as raised:
        outcome.require_success(Recording.of(run.events), run)
    assert raised.value.summary == "kubernetes:core/v1:Pod 'a' has no image"
    assert raised.value.fix == "add it"


def test_a_deadline_is_told_before_the_exit_status_that_it_causes() -> None:
    run = Run(events=[], ended=Ended(status=-9, output="still here", late=LATE))
    with pytest.raises(DeadlineError) as raised:
        outcome.require_success(Recording.of(run.events), run)
    assert raised.value.details == "still here"


@pytest.mark.parametrize(
    ("text", "may_be_of_a_secret"),
    [
        ("error TS2440: Import declaration conflicts", False),
        ("SyntaxError: invalid syntax", False),
        ("ModuleNotFoundError: No module named 'dns'", False),
        ("Error: Cannot find module './dns'", False),
        ("JSONDecodeError: Expecting value", True),
        ("TypeError: x is not a function", True),
    ],
)
def test_secrets_that_cannot_be_read_are_no_reason_for_mistakes_of_the_source(
    text: str, may_be_of_a_secret: bool
) -> None:
    run = Run(events=[], ended=Ended(status=1, output=""), failure=Failure(text, "", ""))
    unreadable = Unreadable(keys=["shop:key"], why="no passphrase", fix="give it")
    with pytest.raises(ProgramError) as raised:
        outcome.require_success(Recording.of(run.events), run, unreadable)
    assert ("it ran without shop:key" in raised.value.fix) is may_be_of_a_secret
