"""What is next, and for how long, follows from what was planned and what has happened."""

import pytest

from tests.e2e.demo.lane import Lane
from tests.toolchain.progress import Step

PLAN = (Step("etcd", "download", 10), Step("argocd", "download", 30), Step("redis", "build", 5))


class Clock:
    """A clock that tests set."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def lane(clock: Clock) -> Lane:
    return Lane(PLAN, clock=clock)


def test_what_has_begun_or_ended_is_not_next(lane: Lane) -> None:
    lane.begin("etcd")
    lane.end("redis")
    assert [step.name for step in lane.waiting()] == ["argocd"]
    assert [running.step.name for running in lane.running()] == ["etcd"]


def test_what_was_given_up_is_next_again_in_its_place(lane: Lane) -> None:
    for step in PLAN:
        lane.begin(step.name)
    for name in ("redis", "etcd"):
        lane.give_up(name)
    assert [step.name for step in lane.waiting()] == ["etcd", "redis"]


def test_a_step_may_begin_in_another_way_than_was_planned(lane: Lane) -> None:
    lane.begin("etcd", Step("etcd", "build", 60))
    assert [running.step.how for running in lane.running()] == ["build"]
    assert lane.left() == 60 + 30 + 5


def test_the_end_of_a_step_tells_how_long_it_was_running(lane: Lane, clock: Clock) -> None:
    lane.begin("etcd")
    clock.now = 4
    assert lane.end("etcd") == 4
    assert lane.end("argocd") is None


class TestWhatIsLeft:
    def test_counts_down_with_the_clock_where_no_share_is_known(
        self, lane: Lane, clock: Clock
    ) -> None:
        lane.begin("etcd")
        clock.now = 4
        assert lane.left() == 6 + 30 + 5

    def test_is_never_less_than_nothing(self, lane: Lane, clock: Clock) -> None:
        lane.begin("etcd")
        clock.now = 400
        assert lane.left() == 30 + 5

    def test_goes_by_the_share_that_is_done_where_it_is_known(
        self, lane: Lane, clock: Clock
    ) -> None:
        lane.begin("etcd")
        clock.now = 9
        lane.advance("etcd", 0.5)
        assert lane.left() == 5 + 30 + 5

    def test_ends_with_a_step_that_is_waited_for(self, lane: Lane) -> None:
        assert lane.left(until="argocd") == 10 + 30

    def test_is_what_runs_when_that_step_has_begun(self, lane: Lane) -> None:
        lane.end("etcd")
        lane.begin("argocd")
        assert lane.left(until="argocd") == 30
