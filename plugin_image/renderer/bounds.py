"""What a render may take: a slot, its share of memory, a folder that goes when it ends."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from . import memory
from .settings import Settings
from .slots import slot
from .supervise import Deadline


@contextmanager
def bounded(settings: Settings, deadline: Deadline) -> Iterator[Path]:
    """Wait for a slot and stay within memory; gives a folder of this render's own.

    Raises DeadlineError when no slot comes free, and MemoryLimitError.
    """
    with (
        slot(settings.cache / "slots", settings.concurrency, deadline),
        memory.limited(memory.container(), settings.concurrency),
        scratch_folder() as scratch,
    ):
        yield scratch


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder of this render's own."""
    path = Path(tempfile.mkdtemp(prefix="render-"))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
