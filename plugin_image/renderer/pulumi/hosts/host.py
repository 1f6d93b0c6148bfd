"""What a language host is, and what the hosts do alike.

A host owns what is particular to its language: how packages are installed, what the program finds
in its environment, how its SDK tells a failure, and what to do about it.
"""

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from ...supervise import Ended, Server
from ..execution import Execution
from ..installer import Installer
from ..monitor.recording import Event, Recording
from ..project import Project

if TYPE_CHECKING:
    from ..monitor.plugin.packages import Program

EARLY_END_FIX: Final = (
    "remove the call that ends the process early (sys.exit, os._exit, process.exit)"
)
_HINDRANCES: Final = "hindrances"
"""The file of a built program that says in lines why its results cannot be kept."""
CONFIGURATION_FIX: Final = (
    "set it in the stack's file or in the Application's plugin parameter `config`"
)


@dataclass(frozen=True)
class Failure:
    """What ended a program, in the program's own terms."""

    text: str
    """Type and message, in one line."""
    place: str
    """The program's own file and line, or empty."""
    traceback: str
    fix: str = ""
    """What to do about it, where that is about more than the program's own lines."""

    def place_of(self, refusal: str) -> str:
        """The place, in brackets, if this failure is that refusal, which names none itself.

        An SDK raises a refused request as an error of its own around the monitor's words, so it
        can only be recognized by those words.
        """
        known = self.place and refusal in self.text and self.place not in refusal
        return f" ({self.place})" if known else ""


@dataclass(frozen=True)
class Run:
    """A program's run, whether it came to its end or not."""

    events: list[Event]
    """What the monitor reported, for `Recording.of`."""
    ended: Ended
    failure: Failure | None = None
    is_watched: bool = False
    """Whether its events tell of all that the program has looked at."""
    early_end_fix: str = EARLY_END_FIX
    """What to do where it exited with status 0 without coming to its end."""


@dataclass(frozen=True)
class Installed:
    """What a program runs with."""

    path: Path
    """The interpreter, the binary or the folder of packages."""
    places: Mapping[Path, Path] = field(default_factory=dict)
    """Folders that the program finds in the repository, and where they really are."""


class Host(Protocol):
    """Runs the programs of one language. The hosts are modules; `registry` names them."""

    def entry(self, project: Project, /) -> tuple[Path, str]:
        """The folder to run in and what to run there; `.` where the language finds it itself.

        Raises ProjectError when there is nothing to run.
        """

    def install(self, project: Project, installer: Installer, /) -> Installed:
        """Install what the project's program depends on, unless that is done.

        Raises DependencyError, ProjectError and DeadlineError.
        """

    def run(self, execution: Execution, installed: Installed, /) -> Run:
        """Run the program with what `install` gave, to its end or to the deadline.

        Raises ProjectError when there is nothing to run, and DependencyError.
        """


class ComponentHost(Host, Protocol):
    """Runs component packages in its language, too."""

    def serve(
        self, execution: Execution, package: Project, installed: Installed, program: "Program", /
    ) -> AbstractContextManager[Server]:
        """Serve a package's components to a program, beside that and in its folder.

        Raises DependencyError, and ProgramError where the package does not start.
        """


def logged_errors(events: Iterable[Event]) -> list[str]:
    """What the program logged as errors, which is how most SDKs tell that it failed."""
    messages = Recording.of(events).messages
    return [message.text for message in messages if message.severity == "error"]


def keep_hindrances(built: Path, found: Iterable[str]) -> None:
    """Note beside what was built of a program why its results cannot be kept."""
    (built / _HINDRANCES).write_text("\n".join(found))


def tell_hindrances(built: Path, events: list[Event]) -> bool:
    """Add what was noted to the events; False where nothing was: others built the program."""
    noted = built / _HINDRANCES
    if noted.exists():
        events.append({"seen": {"hindrances": noted.read_text().splitlines()}})
        return True
    return False


def configuration_fix(failure: str) -> str:
    """What to do about a failure, if it is that a configuration value is missing.

    The SDKs of all languages say so in these words.
    """
    missing = "missing required configuration variable" in failure.lower()
    return CONFIGURATION_FIX if missing else ""
