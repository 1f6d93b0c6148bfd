"""Waiting for events in other processes and threads."""

import time
from collections.abc import Callable

_PATIENCE_SECONDS = 60
_POLL_SECONDS = 0.01


def wait_until(holds: Callable[[], object]) -> None:
    """Poll until `holds()` is true. Raises AssertionError if it never is."""
    end = time.monotonic() + _PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < end, "the event never came"
        time.sleep(_POLL_SECONDS)
