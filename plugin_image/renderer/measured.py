"""What a render measures of itself in passing: seconds by stage, and what it took from the cache.

A render carries one such value in its request. Nothing here says whether anybody wants to know
(`telling.py`).
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum


class Stage(StrEnum):
    """What a render does, as far as it is timed."""

    QUEUE = "queue"
    """It waits for one of the renders that run to end."""
    INSTALL = "install"
    """What the program depends on is installed, or found in the cache."""
    PROGRAM = "program"
    """The program runs; of other sources: they are read, and kpt, Helm or kustomize runs."""
    OUTPUT = "output"
    """The objects are checked and become text."""


@dataclass
class Measured:
    """What has been measured so far."""

    seconds: dict[Stage, float] = field(default_factory=dict)
    """Of each stage that there was, also of one that failed."""
    starts: dict[Stage, float] = field(default_factory=dict)
    """When each of them began first, in seconds since `begun`."""
    begun: float = field(default_factory=time.time)
    """When the render began, in seconds since the epoch."""
    is_kept: bool = False
    """Whether it was the result of an earlier render."""
    evictions: int = 0
    """Entries that were removed from the cache, so that others have room."""

    @contextmanager
    def timed(self, stage: Stage) -> Iterator[None]:
        """Count what runs in here to a stage, in which no other stage begins."""
        self.starts.setdefault(stage, max(0.0, time.time() - self.begun))
        begun = time.monotonic()
        try:
            yield
        finally:
            self.seconds[stage] = self.seconds.get(stage, 0.0) + time.monotonic() - begun
