"""What processes and threads that a program starts report of resources, which only it may make.

They find the SDK and could register resources that nobody waits for. Each writes lines of JSON to
a file: its number once it has loaded the SDK, and an array of a summary and a remedy for what is
wrong. Threads of Node.js, which end with their process, note their end as well. The file
is read when the last process has ended, so it does not matter how the program ends itself, or when.
"""

import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final

from ..monitor.recording import Event

PATIENCE_SECONDS: Final = 2.0
"""How long such processes have to end after the program has."""

_NOTES: Final = "noted-elsewhere"
_THREAD: Final = "thread"
_ENDED: Final = "ended"


def notes(scratch: Path) -> Path:
    """The file that takes the notes of a run, without those of an earlier run."""
    file = scratch / _NOTES
    file.unlink(missing_ok=True)
    return file


def refusals(notes: Path, survivors: Collection[int]) -> Iterator[Event]:
    """The events of what was noted, `survivors` being the processes that did not end."""
    lines = notes.read_text().splitlines() if notes.exists() else []
    noted = [json.loads(line) for line in lines]
    ended = {note[_ENDED] for note in noted if isinstance(note, dict) and _ENDED in note}
    for note in noted:
        if isinstance(note, list):
            summary, fix = note
            yield {"refusal": (summary, fix)}
        elif isinstance(note, int) and note in survivors:
            yield _going_on("process", "end")
        elif isinstance(note, dict) and _THREAD in note and note[_THREAD] not in ended:
            yield _going_on("thread", "end, or terminate it")


def _going_on(what: str, do: str) -> Event:
    return {
        "refusal": (
            f"another {what}, which the program started and which uses the Pulumi SDK, was still "
            "running when the program ended",
            f"wait for it to {do}, and make resources in the program itself",
        )
    }
