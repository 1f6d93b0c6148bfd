"""The display says what runs, what is next and for how long: in an area, or in lines."""

import io

import pytest
from rich.console import Console

from tests.e2e.demo import display as module
from tests.e2e.demo.display import Display, roughly
from tests.e2e.harness.processes import wait_until
from tests.toolchain.progress import Step

STEPS = (Step("Rendering", "", 5), Step("Delivering", "", 10), Step("Removing", "", 5))
PARTS = [Step("etcd", "download", 20), Step("argocd", "download", 240)]


class Screen:
    """A display, and what it has written."""

    def __init__(self, *, terminal: bool) -> None:
        self._written = io.StringIO()
        console = Console(
            file=self._written,
            width=60,
            highlight=False,
            force_terminal=terminal,
            force_interactive=terminal,
        )
        self.display = Display(console, STEPS, goal="Delivering", reached="Argo CD delivers")

    @property
    def text(self) -> str:
        return self._written.getvalue()


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Screen:
    monkeypatch.delenv("NO_COLOR", raising=False)
    return Screen(terminal=True)


@pytest.fixture
def log() -> Screen:
    return Screen(terminal=False)


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the lines that come now and then come at once."""
    monkeypatch.setattr(module, "_LINE_SECONDS", 0.01)


class TestOnATerminal:
    def test_the_area_says_what_runs_what_is_next_and_for_how_long(self, terminal: Screen) -> None:
        display = terminal.display
        display.planned(PARTS)
        display.begun("etcd", "download", 20)
        with display.step("Rendering"), display.showing():
            pass
        shown = " ".join(terminal.text.split())
        assert "Rendering" in shown
        assert "etcd (download)" in shown
        assert "0 s of about 20 s" in shown
        assert "next: Delivering; in the background argocd" in shown
        assert "about 5 min until Argo CD delivers" in shown

    def test_nothing_is_said_of_the_background_where_all_is_there(self, terminal: Screen) -> None:
        with terminal.display.step("Rendering"), terminal.display.showing():
            pass
        assert "next: Delivering" in terminal.text
        assert "background" not in terminal.text

    def test_the_goal_is_not_ahead_any_more_when_it_is_reached(self, terminal: Screen) -> None:
        with terminal.display.step("Delivering"):
            pass
        with terminal.display.showing():
            pass
        assert "next: Rendering" in terminal.text
        assert "until" not in terminal.text

    def test_long_lines_are_folded_between_words(self, terminal: Screen) -> None:
        terminal.display.line("word " * 20)
        assert terminal.text.count("\n") == 2
        assert all(len(line) <= 60 for line in terminal.text.splitlines())


class TestElsewhere:
    def test_a_part_has_a_line_when_it_begins_and_one_when_it_is_there(self, log: Screen) -> None:
        log.display.begun("etcd", "download", 20)
        log.display.finished("etcd")
        log.display.finished("redis")
        expected = ["  etcd: download, about 20 s", "  etcd: there after 0 s", "  redis: there"]
        assert log.text.splitlines() == expected

    def test_what_takes_long_has_a_line_now_and_then(self, log: Screen, often: None) -> None:
        log.display.begun("argocd", "build", 240)
        with log.display.showing():
            assert wait_until(lambda: log.text.count("\n") >= 4, timeout=60)
        assert "  argocd (build): 0 s of about 4 min\n" in log.text
        assert "  next: Rendering\n" in log.text
        assert "  about 5 min until Argo CD delivers\n" in log.text

    def test_nothing_is_expected_of_a_step_that_takes_longer_than_it_was_to(
        self, log: Screen, often: None
    ) -> None:
        log.display.begun("argocd", "build", 0)
        with log.display.showing():
            assert wait_until(lambda: "argocd (build): 0 s\n" in log.text, timeout=60)

    def test_there_are_no_colours_and_long_lines_are_whole(self, log: Screen) -> None:
        log.display.heading("Heading")
        log.display.line("word " * 20, "red", seconds=1.25)
        assert log.text == f"\nHeading\n  {'word ' * 20}  1.2 s\n"


def test_a_part_that_does_not_come_by_a_download_is_built_with_the_others(log: Screen) -> None:
    log.display.planned(PARTS)
    log.display.begun("etcd", "download", 20)
    log.display.failed("etcd", "github.com cannot be reached; built from source instead")
    assert "  etcd: github.com cannot be reached; built from source instead\n" in log.text
    log.display.begun("etcd", "build", 90)
    assert log.text.endswith("  etcd: build, about 2 min\n")


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "5 s"), (11, "15 s"), (85, "85 s"), (90, "2 min"), (601, "11 min")]
)
def test_expectations_are_no_more_exact_than_they_are_known(seconds: float, text: str) -> None:
    assert roughly(seconds) == text
