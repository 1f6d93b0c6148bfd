"""Looks at what each function wrote before kpt does, for `run_function.sh`.

The script asks by one named pipe, with the names of two files, and reads by another one why the
second must not be used. A function waits for its answer, and kpt for the function.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from . import outputs


@contextmanager
def checks(scratch: Path, *, allow_empty: bool) -> Iterator[None]:
    """Answer the functions that run with this folder for temporary files, within this context."""
    folder = scratch / "checks"
    folder.mkdir()
    asks, answers = _pipe(folder / "asks"), _pipe(folder / "answers")
    answering = threading.Thread(target=_answer, args=(folder, asks, answers, allow_empty))
    with asks, answers:
        answering.start()
        try:
            yield
        finally:
            # An empty line: nobody asks any more.
            asks.write(b"\n")
            answering.join()


def _pipe(path: Path) -> IO[bytes]:
    """A named pipe with both of its ends open, so that who opens it does not wait."""
    os.mkfifo(path, 0o600)
    return os.fdopen(os.open(path, os.O_RDWR), "r+b", buffering=0)


def _answer(folder: Path, asks: IO[bytes], answers: IO[bytes], allow_empty: bool) -> None:
    while names := asks.readline().decode().split():
        given, written = (folder / name for name in names)
        answers.write(f"{_fault(given, written, allow_empty=allow_empty)}\n".encode())


def _fault(given: Path, written: Path, *, allow_empty: bool) -> str:
    """In one line; an error of our own is one, too, for the function waits for an answer."""
    try:
        fault = outputs.fault(given.read_bytes(), written.read_bytes(), allow_empty=allow_empty)
    except Exception as error:  # noqa: BLE001 - whatever it was, the function is told
        fault = f"what it wrote cannot be checked: {error!r}"
    return " ".join(fault.split())
