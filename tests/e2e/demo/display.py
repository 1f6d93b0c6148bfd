"""What the demo shows: its lines, and below them what runs, what is next and for how long.

On a terminal that is an area at the bottom that keeps itself up to date. Elsewhere it is
lines: when a part is begun, when it is there, and every 15 seconds for what takes longer.
"""

import math
import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from tests.e2e.demo.lane import Lane, Running
from tests.toolchain.progress import Step, duration

_LINE_SECONDS = 15
_NAMED = 4
"""How many of the next parts are named."""
_BAR_WIDTH = 24
_INDENT = "  "


class Display:
    """Shows the demo's own steps and, as a Report, the parts that are obtained meanwhile.

    Thread-safe. `goal` is the step that people wait for, by its name, and `reached` says
    what they have then, after `until`.
    """

    def __init__(self, console: Console, steps: Sequence[Step], *, goal: str, reached: str) -> None:
        self._console = console
        self._goal = goal
        self._reached = reached
        self._demo = Lane(steps)
        self._parts = Lane()
        self._failed = False
        self._spinner = Spinner("dots", style="cyan")

    def showing(self) -> AbstractContextManager[object]:
        """Keep people informed of what runs for as long as the block does."""
        if self._console.is_interactive:
            return Live(
                console=self._console,
                get_renderable=self._area,
                refresh_per_second=8,
                transient=True,
            )
        return self._lines_now_and_then()

    def heading(self, text: str) -> None:
        """Begin a section."""
        self._print(Text(f"\n{text}", "bold"))

    def command(self, line: str) -> None:
        """Show a command before it runs."""
        self._print(Text.assemble(("$ ", "dim"), line))

    def line(self, text: str, style: str = "", *, seconds: float | None = None) -> None:
        """Show what came, indented, and how long it took."""
        took = "" if seconds is None else f"  {seconds:.1f} s"
        lines = Text.assemble((text.strip("\n"), style), (took, "dim"))
        width = self._console.width - len(_INDENT)
        # Anything but a terminal gets long lines whole.
        folded = lines.wrap(self._console, width) if self._console.is_terminal else lines.split()
        for line in folded:
            line.rstrip()
        self._print(Text("\n").join(Text(_INDENT) + line for line in folded))

    def time(self, seconds: float) -> None:
        """Show how long something took."""
        self.line(f"{seconds:.1f} s", "dim")

    def problem(self, text: str) -> None:
        """Show why the demo ends."""
        self._print(Text(f"\n{text}", "red"))

    def stopping(self) -> None:
        """From now on what was started is stopped."""
        self._demo.begin("Stopping what was started")

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """One of the demo's steps runs for as long as the block does."""
        self._demo.begin(name)
        try:
            yield
        finally:
            self._demo.end(name)

    def planned(self, steps: Sequence[Step]) -> None:
        """Parts are missing."""
        self._parts.plan(steps)

    def begun(self, name: str, how: str, seconds: int) -> None:
        """A part is being obtained."""
        self._parts.begin(name, Step(name, how, seconds))
        self._remark(f"{name}: {how}, about {roughly(seconds)}")

    def advanced(self, name: str, share: float) -> None:
        """So much of a part is there."""
        self._parts.advance(name, share)

    def finished(self, name: str) -> None:
        """A part is there."""
        took = self._parts.end(name)
        self._remark(f"{name}: there" if took is None else f"{name}: there after {duration(took)}")

    def failed(self, name: str, why: str) -> None:
        """A part did not come that way; if there is another one, that is tried."""
        self._parts.give_up(name)
        # On a terminal the first one is enough to tell why parts are built.
        if not (self._failed and self._console.is_interactive):
            self.note(f"{name}: {why}")
        self._failed = True

    def note(self, text: str) -> None:
        """One line for people."""
        self.line(text, "dim")

    def _print(self, text: Text) -> None:
        self._console.print(text, soft_wrap=True)

    def _remark(self, text: str) -> None:
        """A line for those who do not see the area."""
        if not self._console.is_interactive:
            self.note(text)

    def _running(self) -> list[Running]:
        return [*self._demo.running(), *self._parts.running()]

    def _ahead(self) -> list[str]:
        """What is next, and when the goal is reached."""
        parts = [step.name for step in self._parts.waiting()]
        background = ", ".join([*parts[:_NAMED], *(["…"] if len(parts) > _NAMED else [])])
        ahead = [step.name for step in self._demo.waiting()[:1]]
        ahead += [f"in the background {background}"] if background else []
        lines = [f"next: {'; '.join(ahead)}"] if ahead else []
        if not self._demo.ended(self._goal):
            left = self._demo.left(until=self._goal) + self._parts.left()
            lines.append(f"about {roughly(left)} until {self._reached}")
        return lines

    def _area(self) -> RenderableType:
        table = Table.grid(padding=(0, 1))
        for running in self._running():
            share = running.share
            bar = "" if share is None else ProgressBar(1, share, width=_BAR_WIDTH)
            table.add_row(self._spinner, _title(running.step), bar, _times(running))
        ahead = (Text(line, "dim", no_wrap=True, overflow="ellipsis") for line in self._ahead())
        return Group(Text(), table, *ahead)

    @contextmanager
    def _lines_now_and_then(self) -> Iterator[None]:
        ended = threading.Event()

        def write() -> None:
            while not ended.wait(_LINE_SECONDS):
                runs = [f"{_title(running.step)}: {_times(running)}" for running in self._running()]
                self.note("\n".join([*runs, *self._ahead()]))

        writer = threading.Thread(target=write, daemon=True)
        writer.start()
        try:
            yield
        finally:
            ended.set()
            writer.join()


def _title(step: Step) -> str:
    return f"{step.name} ({step.how})" if step.how else step.name


def _times(running: Running) -> str:
    """Nothing is expected any more of a step that takes longer, as one that waits for a part."""
    expected = running.step.seconds
    told = f" of about {roughly(expected)}" if running.seconds < expected else ""
    return f"{duration(running.seconds)}{told}"


def roughly(seconds: float) -> str:
    """Write an expectation no more exactly than it is known."""
    if seconds < 90:
        return f"{max(5, math.ceil(seconds / 5) * 5)} s"
    return f"{math.ceil(seconds / 60)} min"
