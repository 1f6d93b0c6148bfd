"""How a run ended: in success, or in the error that a person is told."""

from ..errors import ProgramError, RefusedError
from .hosts.host import Run
from .monitor.recording import Recording


def require_success(recording: Recording, run: Run) -> None:
    """Raise what stopped the program: our refusal first, for it causes all the others."""
    ended = run.ended
    errors = [message.text for message in recording.messages if message.severity == "error"]
    details = "\n".join([*errors, ended.output])
    if recording.refusals:
        summary, fix = recording.refusals[0]
        place = run.failure.place_of(summary) if run.failure else ""
        raise RefusedError(f"{summary}{place}", fix=fix)
    ended.in_time()
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
