"""What a render may take: a slot, its share of memory, a folder that goes when it ends."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from . import memory
from .measured import Stage
from .request import Request
from .slots import slot


@contextmanager
def bounded(request: Request) -> Iterator[Path]:
    """Wait for a slot and stay within memory; gives a folder of this render's own.

    Raises DeadlineError when no slot comes free, and MemoryLimitError.
    """
    settings = request.settings
    with ExitStack() as held:
        with request.measured.timed(Stage.QUEUE):
            folder, count = settings.cache / "slots", settings.concurrency
            held.enter_context(slot(folder, count, request.deadline))
        held.enter_context(memory.limited(memory.container(), count))
        yield held.enter_context(scratch_folder())


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder of this render's own."""
    path = Path(tempfile.mkdtemp(prefix="render-"))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
