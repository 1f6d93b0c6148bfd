"""How a run ended: in success, or in the error that a person is told."""

import re

from ..errors import DeadlineError, ProgramError, RefusedError
from . import foreign
from .hosts.host import Run
from .monitor.recording import Recording
from .monitor.run_context import Unreadable
from .monitor.values import unreadable as placeholders

_OF_THE_SOURCE = re.compile(
    r"the program failed: (?:error TS\d+|SyntaxError|ImportError|ModuleNotFoundError|"
    r"Error: Cannot find module)\b"
)
"""Failures that no value causes."""


def require_success(recording: Recording, run: Run, unreadable: Unreadable | None = None) -> None:
    """Raise what stopped the program: our refusal first, for it causes all the others.

    What is not a Kubernetes object stops no program, but leaves it without values.

    A program that fails with placeholders for `unreadable` secrets may fail because of them.
    """
    try:
        _require_success(recording, run)
    except ProgramError as error:
        if unreadable is None or _OF_THE_SOURCE.match(error.summary):
            raise
        names = {i: f"<the secret {key!r}>" for i, key in enumerate(unreadable.keys)}
        text, details = (placeholders.replace(t, names) for t in (error.summary, error.details))
        keys = ", ".join(unreadable.keys)
        why = f"it ran without {keys}, which cannot be read ({unreadable.why}): {unreadable.fix}"
        raise ProgramError(
            text, fix=f"{error.fix}; {why}" if error.fix else why, details=details
        ) from error


def _require_success(recording: Recording, run: Run) -> None:
    ended = run.ended
    errors = [message.text for message in recording.messages if message.severity == "error"]
    details = "\n".join([*errors, ended.output])
    foreign.refuse(recording)
    if recording.refusals:
        summary, fix = recording.refusals[0]
        place = run.failure.place_of(summary) if run.failure else ""
        raise RefusedError(f"{summary}{place}", fix=fix)
    if ended.late:
        raise DeadlineError(ended.late.summary, fix=ended.late.fix, details=details)
    if recording.broken:
        text, said = recording.broken[0]
        raise ProgramError(text, details=f"{said}\n{details}")
    if run.failure:
        place = f" ({run.failure.place})" if run.failure.place else ""
        raise ProgramError(
            f"the program failed: {run.failure.text}{place}",
            fix=run.failure.fix,
            details=f"{run.failure.traceback}\n{ended.output}",
        )
    if ended.status:
        said = next(filter(None, map(str.strip, details.splitlines())), "it said nothing")
        raise ProgramError(f"the program {ended.how()}: {said}", details=details)
    if not recording.finished:
        raise ProgramError(
            "the program ended before all of its registrations were made, with exit status 0",
            fix=run.early_end_fix,
            details=details,
        )
    if not recording.exported:
        raise ProgramError(
            "the program waits for what never comes, and so do its objects",
            fix="find the promise that never settles: in the function that the program exports, "
            "or in a value of its outputs",
            details=details,
        )
    if errors:
        raise ProgramError(
            f"the program logged an error: {errors[0].splitlines()[0]}", details=details
        )
