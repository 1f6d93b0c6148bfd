"""Finds what a Java program failed of, in the words of its SDK or of the virtual machine.

The SDK logs an exception with its trace. Source: pulumi/pulumi-java, DeploymentImpl.DefaultRunner.
"""

import re
from collections.abc import Callable, Sequence
from typing import Final

from .host import Failure, configuration_fix

_HEADER: Final = re.compile(
    r"^Running program \[PID: \d+\].* failed with an unhandled exception:\n"
)
_UNCAUGHT: Final = re.compile(r'^Exception in thread "[^"\n]*" ', re.MULTILINE)
_WRAPPERS: Final = re.compile(
    r"java\.(?:util\.concurrent\.(?:Completion|Execution)Exception"
    r"|lang\.(?:ExceptionInInitializerError|reflect\.InvocationTargetException))\b"
)
"""What says no more than that something else was thrown."""
_STATUS: Final = re.compile(r"^io\.grpc\.Status(?:Runtime)?Exception: [A-Z_]+: ")
_CAUSE: Final = "Caused by: "
_FRAME: Final = re.compile(
    r"^\s+at (?:[\w.-]*/)?(?P<class>[\w.$]+)\.[\w<>$]+\((?P<place>[^():]+:\d+)\)", re.MULTILINE
)


def of(errors: Sequence[str], output: str, is_own: Callable[[str], bool]) -> Failure | None:
    """What the program logged as an error, or what the virtual machine printed of one, if any.

    `is_own` tells the program's classes from those of libraries, by their names.
    """
    uncaught = _UNCAUGHT.search(output)
    told = next(iter(errors), output[uncaught.end() :] if uncaught else "")
    if not told.strip():
        return None
    trace = _HEADER.sub("", told)
    thrown = re.split(rf"^{_CAUSE}", trace, flags=re.MULTILINE)
    telling = next((part for part in thrown if not _WRAPPERS.match(part)), thrown[-1])
    text = _STATUS.sub("", telling.strip().splitlines()[0])
    frames = (f for part in (telling, trace) for f in _FRAME.finditer(part) if is_own(f["class"]))
    place = next((frame["place"] for frame in frames), "")
    return Failure(text=text, place=place, traceback=trace, fix=configuration_fix(text))
