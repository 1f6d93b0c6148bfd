"""Finds what a Go program failed of, in the words of its SDK.

The SDK logs an error, or only prints it where it could not log. It wraps errors, and lists several,
each after an asterisk. Source: pulumi/pulumi `sdk/go/pulumi/run.go`.
"""

import re
from collections.abc import Iterator, Sequence

from .host import Failure, configuration_fix

_HEADER = re.compile(
    r"(?:error: )?(?:an unhandled error occurred: )?(?:program failed:)? ?"
    r"(?:\d+ errors? occurred:|waiting for RPCs:)?"
)
"""What the SDK says before it says what is wrong."""
_WRAPPER = re.compile(r"(?:waiting for RPCs: )?(?:rpc error: code = \w+ desc = )?")
"""What it says before the words of the monitor."""
_CRASHES = ("panic:", "fatal error:")
_TELLING = ("error:", *_CRASHES)


def of(errors: Sequence[str], output: str, end: str, place: str) -> Failure:
    """What the program logged as an error, or else what it printed of one, or last, before its end.

    `end` is how it ended, and `place` that of its own code in the trace that a crash has printed.
    """
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    said = f"it {end} after it printed {lines[-1]!r}" if lines else f"it {end} and printed nothing"
    text = next(iter([*map(_first_cause, errors), *_printed(lines), said]))
    return Failure(
        text=text,
        place=place if text.startswith(_CRASHES) else "",
        traceback="\n".join(errors),
        fix=configuration_fix(text),
    )


def _printed(lines: list[str]) -> Iterator[str]:
    for number, line in enumerate(lines):
        if line.startswith(_TELLING):
            yield _first_cause("\n".join(lines[number:])) if _HEADER.fullmatch(line) else line


def _first_cause(error: str) -> str:
    """The line that matters."""
    lines = [line.strip() for line in error.splitlines()]
    causes = [line.removeprefix("* ") for line in lines if line.startswith("* ")]
    told = [line for line in lines if line and not _HEADER.fullmatch(line) and line != "*"]
    cause = next(filter(None, [*causes, *told]), "its error has no text")
    return _WRAPPER.sub("", cause, count=1)
