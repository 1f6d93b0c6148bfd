"""Steps that come one after the other: which runs, which come next, how long they may take."""

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tests.toolchain.progress import Step


@dataclass(frozen=True)
class Running:
    """A step that has begun and not ended."""

    step: Step
    seconds: float
    """How long it has been running."""
    share: float | None
    """How much of it is done, from 0 to 1, where that is known."""

    @property
    def left(self) -> float:
        """About how many seconds it has to go; none when it takes longer than was expected."""
        if self.share is not None:
            return self.step.seconds * (1 - self.share)
        return max(0.0, self.step.seconds - self.seconds)


class Lane:
    """Steps by name, in their order. Thread-safe."""

    def __init__(
        self, steps: Iterable[Step] = (), *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._steps = {step.name: step for step in steps}
        self._begun: dict[str, float] = {}
        self._shares: dict[str, float] = {}
        self._ended: set[str] = set()

    def plan(self, steps: Iterable[Step]) -> None:
        """Append steps."""
        with self._lock:
            self._steps |= {step.name: step for step in steps}

    def begin(self, name: str, step: Step | None = None) -> None:
        """A step begins, as planned or as `step` says."""
        with self._lock:
            self._steps[name] = step or self._steps.get(name) or Step(name, "", 0)
            self._begun[name] = self._clock()
            self._ended.discard(name)

    def advance(self, name: str, share: float) -> None:
        """So much of a running step is done."""
        with self._lock:
            self._shares[name] = share

    def give_up(self, name: str) -> None:
        """A step has not succeeded, and is waiting to be tried again."""
        with self._lock:
            self._forget(name)

    def end(self, name: str) -> float | None:
        """A step is over; gives for how many seconds it was running, if it was."""
        with self._lock:
            self._ended.add(name)
            begun = self._forget(name)
            return None if begun is None else self._clock() - begun

    def running(self) -> list[Running]:
        """What runs, the oldest first."""
        with self._lock:
            now = self._clock()
            return [
                Running(self._steps[name], now - begun, self._shares.get(name))
                for name, begun in self._begun.items()
            ]

    def waiting(self) -> list[Step]:
        """What has not begun, in its order."""
        with self._lock:
            over = self._ended | self._begun.keys()
            return [step for name, step in self._steps.items() if name not in over]

    def ended(self, name: str) -> bool:
        """Tell whether a step is over."""
        with self._lock:
            return name in self._ended

    def left(self, *, until: str = "") -> float:
        """About how many seconds it takes from now on, to the end of all or of one step."""
        waiting = self.waiting()
        names = [step.name for step in waiting]
        if until:
            waiting = waiting[: names.index(until) + 1] if until in names else []
        running = sum(running.left for running in self.running())
        return running + sum(step.seconds for step in waiting)

    def _forget(self, name: str) -> float | None:
        self._shares.pop(name, None)
        return self._begun.pop(name, None)
