"""What a person is told of a run in which several things went wrong."""

import pytest

from plugin_image.renderer.errors import DeadlineError, RefusedError
from plugin_image.renderer.pulumi import outcome
from plugin_image.renderer.pulumi.hosts.host import Run
from plugin_image.renderer.pulumi.monitor.recording import Event, Recording
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
