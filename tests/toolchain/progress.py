"""Shows what is being built, for how long, and how long it may take."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

_LINE_SECONDS = 15


class Progress:
    """Writes to standard error: one moving line on a terminal, a line now and then elsewhere."""

    @contextmanager
    def step(self, name: str, *, number: int, total: int, seconds: int) -> Iterator[None]:
        """Show one step, the `number`th of `total`, for as long as it runs."""
        head = f"[{number}/{total}] {name}"
        begun = time.monotonic()
        show = _moving_line if sys.stderr.isatty() else _lines
        with show(head, f"up to {duration(seconds)}"):
            yield
        self.note(f"{head}: done in {duration(time.monotonic() - begun)}")

    def note(self, text: str) -> None:
        """Write one line."""
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


def duration(seconds: float) -> str:
    """Write a number of seconds the way people say it."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


@contextmanager
def _moving_line(head: str, expectation: str) -> Iterator[None]:
    # Imported late: it costs more than looking whether everything is there.
    from rich.console import Console
    from rich.progress import Progress as Rich
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    text = TextColumn(f"({expectation})")
    with Rich(*columns, text, console=Console(stderr=True), transient=True) as rich:
        rich.add_task(head.replace("[", r"\["))
        yield


@contextmanager
def _lines(head: str, expectation: str) -> Iterator[None]:
    begun = time.monotonic()
    ended = threading.Event()

    def write() -> None:
        sys.stderr.write(f"{head}: begun ({expectation})\n")
        while not ended.wait(_LINE_SECONDS):
            passed = duration(time.monotonic() - begun)
            sys.stderr.write(f"{head}: {passed} ({expectation})\n")
            sys.stderr.flush()

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    try:
        yield
    finally:
        ended.set()
        writer.join()
