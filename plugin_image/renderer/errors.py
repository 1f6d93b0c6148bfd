"""What a render may end with instead of manifests.

RenderError             the message is for the user: what, where, what to do
├── UsageError          the Application or command line asks for something that is not there
├── ProjectError        Pulumi.yaml or the stack's file is wrong
│   └── UnreadableError   its secrets take a key that the plugin does not have
├── DependencyError     the program's dependencies cannot be installed
├── ProgramError        the program failed, or did not come to its end
├── RefusedError        the program asks for something that is never rendered
├── ManifestError       the objects are not a set that Argo CD may be given
├── InstallationError   the renderer's own packages are not installed
├── DeadlineError       the render took longer than it may
└── MemoryLimitError    the render needs more memory than there is
"""

import errno
import sys
from collections.abc import Callable
from enum import StrEnum
from typing import ClassVar

from .plain import CUT, plain

_SHOWN_CUT = "[…] "

_MOST_DETAILS = 32 * 1024
"""Characters. An Application's status holds the message, and an object of Kubernetes 1.5 MiB."""
_MOST_WORDS = 2000
"""Characters of the first line."""

_UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG, errno.EPIPE)

_NO_THREAD = "can't start new thread"
"""The message of CPython's RuntimeError, which has no error number (Modules/_threadmodule.c)."""


class Outcome(StrEnum):
    """How renders end, as they are counted."""

    OK = "ok"
    CANCELED = "canceled"
    """Whoever asked for it did not wait."""
    USAGE = "usage"
    PROJECT = "project"
    UNREADABLE = "unreadable"
    DEPENDENCY = "dependency"
    PROGRAM = "program"
    REFUSED = "refused"
    MANIFEST = "manifest"
    INSTALLATION = "installation"
    DEADLINE = "deadline"
    MEMORY = "memory"
    OTHER = "other"
    """A failure of the container: a file that cannot be written."""
    INTERNAL = "internal"
    """A mistake of the renderer."""


class RenderError(Exception):
    """A failed render.

    `summary` says what is wrong and where, `fix` what to do about it, and `details` is a
    traceback or a tool's output. They are kept as they were said, secrets and all, for a
    secret is recognized only in whole and raw text: `redacted` comes first, `report` last.
    """

    outcome: ClassVar[Outcome] = Outcome.OTHER

    def __init__(self, summary: str, *, fix: str = "", details: str = "") -> None:
        super().__init__(summary)
        self.summary = summary
        self.fix = fix
        self.details = details

    def __str__(self) -> str:
        """The first line: cause, place and remedy."""
        summary, fix = _line(self.summary), _line(self.fix)
        return f"{summary.removesuffix('.')}. To fix it: {fix}" if fix else summary

    def redacted(
        self, redact: Callable[[str], str], redact_advice: Callable[[str], str]
    ) -> "RenderError":
        """The same error with each of its texts passed through one of these."""
        summary, details = redact(self.summary), redact(self.details)
        return type(self)(summary, fix=redact_advice(self.fix), details=details)

    def report(self) -> str:
        """The message, first line first; of what is very long the beginning and the end."""
        details = _shown(self.details).strip()
        lines = [_shortened(str(self), _MOST_WORDS), _shortened(details, _MOST_DETAILS)]
        return "\n".join(filter(None, lines))


def _shown(text: str) -> str:
    return plain(text).replace(CUT, _SHOWN_CUT)


def _line(text: str) -> str:
    return " ".join(_shown(text).split())


class UsageError(RenderError):
    """The Application or the command line asks for something that is not there."""

    outcome = Outcome.USAGE


class ProjectError(RenderError):
    """Pulumi.yaml or the stack's file is missing or wrong."""

    outcome = Outcome.PROJECT


class UnreadableError(ProjectError):
    """The secrets of a stack take a key that the plugin does not have."""

    outcome = Outcome.UNREADABLE


class DependencyError(RenderError):
    """The program's dependencies cannot be installed."""

    outcome = Outcome.DEPENDENCY


class ProgramError(RenderError):
    """The program failed, or ended before its last registration."""

    outcome = Outcome.PROGRAM


class RefusedError(RenderError):
    """The program asks for something that is never rendered."""

    outcome = Outcome.REFUSED


class ManifestError(RenderError):
    """The objects are not a set that Argo CD may be given."""

    outcome = Outcome.MANIFEST


class InstallationError(RenderError):
    """The renderer's own packages are not installed."""

    outcome = Outcome.INSTALLATION


class DeadlineError(RenderError):
    """The render took longer than it may."""

    outcome = Outcome.DEADLINE


class MemoryLimitError(RenderError):
    """The render needs more memory than there is."""

    outcome = Outcome.MEMORY


def outcome_of(error: Exception) -> Outcome:
    """The kind of an error, by which a render is counted that ended with it."""
    known = missing_package(error) or unwritable(error) or exhausted(error) or error
    return known.outcome if isinstance(known, RenderError) else Outcome.INTERNAL


def missing_package(error: Exception) -> InstallationError | None:
    """Say which package of the renderer an import has missed; None for any other error."""
    name = error.name if isinstance(error, ModuleNotFoundError) else None
    package = (name or "").partition(".")[0]
    if package in ("", __name__.partition(".")[0]):
        return None
    return InstallationError(
        f"the renderer's package {package} is not installed for {sys.executable}",
        fix="call the renderer by an interpreter that has all of plugin_image/requirements.txt,"
        " as the plugin's image does",
    )


def unwritable(error: Exception) -> RenderError | None:
    """Say which file has no room or place; None for any other error."""
    if not isinstance(error, OSError) or error.errno not in _UNWRITABLE:
        return None
    place = f" {error.filename}" if error.filename else ""
    return RenderError(
        f"a file{place} cannot be written: {error.strerror}",
        fix="make room in the plugin's cache and temporary folder, or where the output goes",
    )


def exhausted(error: Exception) -> RenderError | None:
    """Name the limit of the container that an error comes from; None for any other error."""
    if isinstance(error, MemoryError):
        return MemoryLimitError(
            "the renderer is out of memory", fix="raise the plugin's memory limit"
        )
    no_process = isinstance(error, OSError) and error.errno == errno.EAGAIN
    if not no_process and str(error) != _NO_THREAD:
        return None
    return RenderError(
        "no more processes or threads can be started",
        fix="raise the pod's limit (the kubelet's podPidsLimit, the cgroup's pids.max, or "
        "RLIMIT_NPROC) or its memory, or lower the number of renders at once",
    )


def _shortened(text: str, most: int) -> str:
    left_out = len(text) - most
    if left_out <= 0:
        return text
    return f"{text[: most // 2]} [… {left_out} characters …] {text[-most // 2 :]}"
