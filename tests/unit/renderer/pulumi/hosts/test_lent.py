"""A run that its lent process lost is done once more, by a new one; what served is wanted again."""

from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from plugin_image.renderer import launch
from plugin_image.renderer.launch import Process, Start
from plugin_image.renderer.pulumi.execution import Execution
from plugin_image.renderer.pulumi.hosts.host import Run
from plugin_image.renderer.pulumi.hosts.lent import run_lent
from plugin_image.renderer.supervise import Ended


@dataclass
class _Lender:
    lost: bool = False
    wanted: int = 0

    def __call__(self, start: Start) -> Process:
        raise NotImplementedError

    def want(self) -> None:
        self.wanted += 1


@dataclass
class _Program:
    """Loses its process in those runs that a lender serves and that are named, from 0."""

    losing: set[int] = field(default_factory=set)
    status: int = 0
    launchers: list[object] = field(default_factory=list)

    def __call__(self, execution: Execution) -> Run:
        lender = execution.launcher
        if isinstance(lender, _Lender) and len(self.launchers) in self.losing:
            lender.lost = True
        self.launchers.append(lender)
        return Run(events=[], ended=Ended(self.status, ""))


@pytest.fixture
def execution() -> Execution:
    unused = cast("Any", None)
    return Execution(unused, unused, {}, {}, unused, unused, unused)


def test_without_a_lender_a_new_process_runs_it(execution: Execution) -> None:
    program = _Program()
    run_lent(execution, None, program)
    assert program.launchers == [launch.spawn]


def test_what_served_a_run_is_wanted_for_the_next(execution: Execution) -> None:
    lender, program = _Lender(), _Program()
    run_lent(execution, lender, program)
    assert (program.launchers, lender.wanted) == ([lender], 1)


def test_a_lost_run_is_done_once_more_and_a_process_is_wanted_again(execution: Execution) -> None:
    lender, program = _Lender(), _Program(losing={0})
    run_lent(execution, lender, program)
    assert (program.launchers, lender.wanted) == ([lender, launch.spawn], 1)


def test_a_run_that_was_lost_says_nothing_of_the_next(execution: Execution) -> None:
    lender, program = _Lender(), _Program(losing={0})
    for _ in range(2):
        run_lent(execution, lender, program)
    assert program.launchers == [lender, launch.spawn, lender]


def test_nothing_is_kept_for_a_program_that_fails(execution: Execution) -> None:
    lender, program = _Lender(), _Program(status=1)
    run_lent(execution, lender, program)
    assert (program.launchers, lender.wanted) == ([lender], 0)
