"""Says which real parts are being obtained, how, for how long, and how long it may take."""

import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

_LINE_SECONDS = 15


@dataclass(frozen=True)
class Step:
    """What has to be done for one part."""

    name: str
    how: str
    """A verb: download, build, unpack."""
    seconds: int
    """How long it may take."""


class Report(Protocol):
    """Hears how parts are obtained, from several threads at once."""

    def planned(self, steps: Sequence[Step]) -> None:
        """What is missing, in the order in which it is needed."""

    def begun(self, name: str, how: str, seconds: int) -> None:
        """A part's step has begun; after a download that failed it is another one."""

    def advanced(self, name: str, share: float) -> None:
        """How much of a part's step is done, from 0 to 1."""

    def finished(self, name: str) -> None:
        """The part is there; it may be so without a step, by another process."""

    def failed(self, name: str, why: str) -> None:
        """The part has not come, by a step or for want of one."""

    def note(self, text: str) -> None:
        """One line for people."""


class Lines:
    """Writes to standard error: a line when a step begins and ends, and now and then between."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._numbers: dict[str, str] = {}
        self._begun: dict[str, float] = {}
        self._said: dict[str, float] = {}
        self._expected: dict[str, str] = {}

    def planned(self, steps: Sequence[Step]) -> None:
        """Number the steps."""
        total = len(steps)
        self._numbers = {s.name: f"[{n}/{total}] " for n, s in enumerate(steps, start=1)}

    def begun(self, name: str, how: str, seconds: int) -> None:
        """Say what begins."""
        with self._lock:
            self._expected[name] = f"up to {duration(seconds)}"
            self._begun[name] = self._said[name] = time.monotonic()
        self._say(name, f"{how} ({self._expected[name]})")

    def advanced(self, name: str, share: float) -> None:
        """Say how far it is, if nothing was said for a while."""
        with self._lock:
            if time.monotonic() - self._said[name] < _LINE_SECONDS:
                return
            self._said[name] = time.monotonic()
        self._say(name, f"{self._passed(name)}, {share:.0%} ({self._expected[name]})")

    def finished(self, name: str) -> None:
        """Say what is there, and how long it took."""
        self._say(name, f"done in {self._passed(name)}" if name in self._begun else "is there")

    def failed(self, name: str, why: str) -> None:
        """Say why there is nothing."""
        self._say(name, why)

    def note(self, text: str) -> None:
        """Write one line."""
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()

    def _passed(self, name: str) -> str:
        return duration(time.monotonic() - self._begun[name])

    def _say(self, name: str, text: str) -> None:
        self.note(f"{self._numbers.get(name, '')}{name}: {text}")


class Bars(Lines):
    """Draws a bar for each step that runs, on a terminal."""

    def __init__(self) -> None:
        super().__init__()
        # Imported late: it costs more than looking whether everything is there.
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

        columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
        expected = TextColumn("({task.fields[expected]})")
        self._rich = Progress(*columns, expected, console=Console(stderr=True), transient=True)
        self._tasks: dict[str, TaskID] = {}

    def begun(self, name: str, how: str, seconds: int) -> None:
        """Draw another bar."""
        with self._lock:
            self._begun[name] = time.monotonic()
            if not self._tasks:
                self._rich.start()
            head = f"{self._numbers.get(name, '')}{name}: {how}".replace("[", r"\[")
            expected = f"up to {duration(seconds)}"
            self._tasks[name] = self._rich.add_task(head, total=1, expected=expected)

    def advanced(self, name: str, share: float) -> None:
        """Move a bar."""
        self._rich.update(self._tasks[name], completed=share)

    def finished(self, name: str) -> None:
        """Put a line in the place of a bar."""
        super().finished(name)
        self._remove(name)

    def failed(self, name: str, why: str) -> None:
        """Put the reason in the place of a bar."""
        super().failed(name, why)
        self._remove(name)

    def note(self, text: str) -> None:
        """Write one line above the bars."""
        self._rich.console.print(text, markup=False, highlight=False)

    def _remove(self, name: str) -> None:
        with self._lock:
            if name in self._tasks:
                self._rich.remove_task(self._tasks.pop(name))
            if not self._tasks:
                self._rich.stop()


def shown() -> Report:
    """Return the report that fits standard error: bars on a terminal, lines elsewhere."""
    return Bars() if sys.stderr.isatty() else Lines()


@contextmanager
def step(name: str, *, how: str, seconds: int) -> Iterator[None]:
    """Show one thing that is being made on its own."""
    report = shown()
    report.begun(name, how, seconds)
    ended = threading.Event()

    def tick() -> None:
        begun = time.monotonic()
        while not ended.wait(1):
            # Nothing but time tells how far it is.
            report.advanced(name, min(0.99, (time.monotonic() - begun) / max(seconds, 1)))

    ticker = threading.Thread(target=tick, daemon=True)
    ticker.start()
    try:
        yield
    except BaseException:
        report.failed(name, "failed")
        raise
    else:
        report.finished(name)
    finally:
        ended.set()
        ticker.join()


def duration(seconds: float) -> str:
    """Write a number of seconds the way people say it."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
