"""Applications that refresh all the time, and what each refresh has shown."""

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event

from tests.e2e.harness.applications import Application

DEADLINE_SECONDS = 60
"""Argo CD's own, for one render."""
_PAUSE_SECONDS = 0.5
"""Between two refreshes of one Application: what is changed meanwhile needs processors, too."""


@dataclass(frozen=True)
class Refresh:
    """What came of one hard refresh, which is one render."""

    seconds: float
    error: str
    sync: str
    """`Synced`, or `Unknown` where nothing could be rendered."""
    missing: Sequence[str]
    """Kinds and names of objects that should be there and are not."""


@contextmanager
def load(applications: Sequence[Application], *, renders: int) -> Iterator[list[Refresh]]:
    """All Applications refresh again and again, at once.

    Until there are so many renders, and until the body has ended. The list grows meanwhile.
    """
    refreshes: list[Refresh] = []
    ended = Event()

    def refresh_often(app: Application) -> None:
        while len(refreshes) < renders or not ended.is_set():
            refreshes.append(timed_refresh(app))
            time.sleep(_PAUSE_SECONDS)

    with ThreadPoolExecutor(len(applications)) as pool:
        futures = [pool.submit(refresh_often, one) for one in applications]
        try:
            yield refreshes
        finally:
            ended.set()
        for future in futures:
            future.result()


def timed_refresh(app: Application) -> Refresh:
    """Refresh once. Raises ApplicationError where that never ends."""
    start = time.monotonic()
    done = app.refresh(timeout=2 * DEADLINE_SECONDS)
    seconds = time.monotonic() - start
    status = done.get("status", {})
    return Refresh(
        seconds,
        error="; ".join(condition["message"] for condition in status.get("conditions", [])),
        sync=status.get("sync", {}).get("status", ""),
        missing=[
            f"{each['kind']} {each['name']}"
            for each in status.get("resources", [])
            if each.get("health", {}).get("status") == "Missing"
            or each.get("status") == "OutOfSync"
        ],
    )
