"""One build of a Java program by Maven or Gradle, in a copy of the files that decide about it.

Both write beside the sources, and an Application's folder is not ours to write to.
"""

import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from ...errors import DeadlineError, DependencyError, ProgramError
from ...slots import exclusive
from .. import installer
from ..installer import Installer
from ..project import Project
from .java_launch import Launch

_VARIANT_FIX: Final = (
    "use the image's variant `java`, or set the plugin parameter `mode` to operator"
)
_FIX: Final = "correct it, or give the plugin access to the registry of what the program asks for"
_LATE_FIX: Final = (
    "render again, which goes on after the last package that was downloaded, or raise the plugin's "
    "deadline together with Argo CD's repo-server timeout"
)
_COMPILED: Final = re.compile(
    r"^(?:\[ERROR\] |e: )?(?:file://)?(?P<file>/\S+\.(?:java|kt|groovy|scala)):"
    r"(?:\[(?P<of_maven>\d+),\d+\]|(?P<line>\d+):(?:\d+:?)?) (?:error: )?(?P<error>.+)"
    r"(?:\n(?:.*\n){0,2}\s+symbol:\s+(?P<symbol>.+))?",
    re.MULTILINE,
)
"""How Maven and Gradle pass on what a compiler says of a mistake."""
_THROWN: Final = re.compile(r'^Exception in thread "main" (.+)', re.MULTILINE)
"""How a wrapper ends that cannot download its tool."""


def tool(name: str, env: Mapping[str, str]) -> Path:
    """A program of the JDK, Maven or Gradle. Raises DependencyError where it is missing."""
    try:
        return installer.tool(name, env)
    except DependencyError as error:
        raise DependencyError(error.summary, fix=_VARIANT_FIX) from error


@dataclass(frozen=True)
class Build:
    """Where a program is built, and by what."""

    folder: Path
    """The copy of the folder that the tool is run in."""
    command: Sequence[str | Path]
    """The tool, or the project's own wrapper, which fetches the tool by itself."""
    installer: Installer

    def options(self, variable: str) -> str:
        """Options for the virtual machine of the tool: those of a variable, and where to write.

        It heeds neither HOME nor TMPDIR.
        """
        scratch = shlex.quote(str(self.installer.scratch))
        own = f"-Duser.home={scratch} -Djava.io.tmpdir={scratch}"
        return f"{self.installer.env.get(variable, '')} {own}".strip()

    def run(
        self,
        arguments: Iterable[str | Path],
        env: Mapping[str, str],
        downloads: Path,
        reason: Callable[[str], str],
    ) -> None:
        """Run the tool, alone among those that keep in `downloads` what they download.

        `reason` finds in its output what is wrong. Raises DependencyError, DeadlineError, and
        ProgramError for what does not compile.
        """
        lock = downloads.with_name(f"{downloads.name}.lock")
        doing = "another render built a program"
        try:
            with exclusive(lock, self.installer.deadline, doing):
                self.installer.run([*self.command, *arguments], self.folder, env=env)
        except DeadlineError as error:
            raise DeadlineError(error.summary, fix=_LATE_FIX) from error
        except DependencyError as error:
            said = error.details
            if wrong := _COMPILED.search(said):
                raise self._mistake(wrong, said) from error
            thrown = _THROWN.search(said)
            why = reason(said) or (thrown[1] if thrown else "it gave no reason")
            raise DependencyError(
                f"the program cannot be built: {why}", fix=_FIX, details=said
            ) from error

    def _mistake(self, wrong: re.Match[str], said: str) -> ProgramError:
        file = Path(wrong["file"])
        place = file.relative_to(self.folder) if file.is_relative_to(self.folder) else file.name
        symbol = f" ({wrong['symbol']})" if wrong["symbol"] else ""
        return ProgramError(
            f"the program does not compile: {place}:{wrong['of_maven'] or wrong['line']}: "
            f"{wrong['error']}{symbol}",
            fix="correct it, or the version of what it imports",
            details=said,
        )


class Builder(Protocol):
    """What is particular to one tool. The builders are modules."""

    TOOL: str
    """What it is called."""
    WRAPPER: str
    """A script beside a project's files that fetches it in the version that they ask for."""
    MARKERS: Sequence[str]
    """Files by which its projects are known."""
    OUTPUTS: frozenset[str]
    """The folders that it writes beside the sources."""

    def base(self, project: Project, folder: Path, /) -> Path:
        """The folder to run it in, for a program in a folder."""

    def related(self, project: Project, base: Path, /) -> list[Path]:
        """The files outside of that folder that it reads."""

    def launch(self, build: Build, subproject: str, /) -> Launch:
        """Compile the program in that part of the folder, and tell what to run.

        Raises DependencyError, DeadlineError, ProjectError, and ProgramError for what does not
        compile.
        """
