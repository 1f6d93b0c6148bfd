"""What a render may end with other than manifests.

RenderError             the message is for the user: what, where, what to do
├── UsageError          the Application or command line asks for something that is not there
├── ProjectError        Pulumi.yaml or the stack's file is wrong
├── DependencyError     the program's dependencies cannot be installed
├── ProgramError        the program failed, or did not come to its end
├── RefusedError        the program asks for something that is never rendered
├── ManifestError       the objects are no set that Argo CD may be given
├── DeadlineError       the render took longer than it may
└── MemoryLimitError    the render needs more memory than there is
"""

from collections.abc import Callable

from plugin_image.renderer.plain import plain


class RenderError(Exception):
    """A failed render; `str()` is the first line that Argo CD shows.

    `summary` says what is wrong and where in one line, `fix` what to do about it, and
    `details` (a traceback, a tool's output) follows on further lines.
    """

    def __init__(self, summary: str, *, fix: str = "", details: str = "") -> None:
        super().__init__(summary)
        self.summary = " ".join(plain(summary).split())
        self.fix = " ".join(plain(fix).split())
        self.details = plain(details).strip()

    def __str__(self) -> str:
        """The first line: cause, place and remedy."""
        return f"{self.summary}. To fix it: {self.fix}" if self.fix else self.summary

    def redacted(self, redact: Callable[[str], str]) -> "RenderError":
        """The same error with each of its texts passed through `redact`."""
        return type(self)(redact(self.summary), fix=redact(self.fix), details=redact(self.details))

    def report(self) -> str:
        """The whole message, first line first."""
        return f"{self}\n{self.details}" if self.details else str(self)


class UsageError(RenderError):
    """The Application or the command line asks for something that is not there."""


class ProjectError(RenderError):
    """Pulumi.yaml or the stack's file is missing or wrong."""


class DependencyError(RenderError):
    """The program's dependencies cannot be installed."""


class ProgramError(RenderError):
    """The program failed, or ended before its last registration."""


class RefusedError(RenderError):
    """The program asks for something that is never rendered."""


class ManifestError(RenderError):
    """The objects are no set that Argo CD may be given."""


class DeadlineError(RenderError):
    """The render took longer than it may."""


class MemoryLimitError(RenderError):
    """The render needs more memory than there is."""
