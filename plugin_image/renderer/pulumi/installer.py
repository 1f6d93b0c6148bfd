"""Runs uv, go, npm and the like, which install or build what a program depends on."""

import os
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .. import launch, supervise
from ..cache import Cache
from ..errors import DependencyError
from ..launch import Launcher
from ..supervise import Deadline

_FIX = "correct what the program asks for, or give the plugin access to its registry"
_NPM_PREFIX = re.compile(r"npm error (?:notarget |404 )?|error (?!:)|ERR_\w+\s+|➤ \w+: [│┌└·]\s*")
_NPM_CODE = re.compile(r"(?:npm error)?(?: (?:code|syscall|errno) .*)?")
"""What npm says before it says what is wrong, and lines without words."""
_PROGRESS = re.compile(
    r"go: (?:downloading|extracting|finding) .*|# .*|npm warn .*|➤ (?:YN0000|YN0013): .*"
)
"""What is not an error, but may read like one because of a module's name."""
_NPM_SCRIPT = re.compile(
    r"^npm error path (?P<package>.*)\nnpm error command failed\n"
    r"npm error command (?:sh -c )?(?P<command>.*)\n?(?P<said>(?:npm error.*\n?)*)",
    re.MULTILINE,
)
"""How npm tells that the script of a package failed, and all that the script said."""
_UV_BUILD = re.compile(r"^error: Failed to build `(?P<package>.*)`$", re.MULTILINE)
_NPM_LOG = re.compile(r"A complete log of this run can be found in: .*")


@dataclass(frozen=True)
class Installer:
    """Runs installers for one program, within the deadline of its render."""

    cache: Cache
    """Where what they install is kept."""
    env: Mapping[str, str]
    """What they see of the container's environment: `environment.for_installer`."""
    scratch: Path
    """A folder of this render's own, removed after it."""
    deadline: Deadline
    launcher: Launcher = launch.spawn

    def has(self, name: str) -> bool:
        """Whether there is an installer of that name."""
        return _find(name, self.env) is not None

    def tool(self, name: str) -> Path:
        """The installer of that name. Raises DependencyError where it is missing."""
        return tool(name, self.env)

    def run(
        self,
        command: Sequence[str | Path],
        cwd: Path,
        *,
        env: Mapping[str, str] | None = None,
        result: Path | None = None,
    ) -> None:
        """Run an installer, with `env` added to its environment; the file `result` gets its output.

        Raises DependencyError with what it said, and DeadlineError.
        """
        ended = supervise.run(
            command,
            doing=f"{Path(command[0]).name} installed the program's dependencies",
            cwd=cwd,
            env={**self.env, **(env or {})},
            deadline=self.deadline,
            launcher=self.launcher,
            result=result,
        ).in_time()
        if ended.status:
            reason, fix = _reason_of_build(ended.output) or (_reason(ended.output), _FIX)
            raise DependencyError(
                f"the program's dependencies cannot be installed: {reason}",
                fix=fix,
                details=ended.output,
            )


def tool(name: str, env: Mapping[str, str]) -> Path:
    """The program beside the renderer's interpreter, or on the PATH of `env`.

    Raises DependencyError where it is in neither.
    """
    found = _find(name, env)
    if not found:
        raise DependencyError(
            f"{name} is not installed", fix=f"install {name}, or use the plugin image"
        )
    return Path(found)


def _find(name: str, env: Mapping[str, str]) -> str | None:
    beside = str(Path(sys.executable).parent)
    return shutil.which(name, path=beside) or shutil.which(name, path=env.get("PATH", os.defpath))


def _reason(output: str) -> str:
    """What is wrong, by the output of uv, npm or go: the first error, and uv's causes of it."""
    if script := _NPM_SCRIPT.search(output):
        return _reason_of_script(**script.groupdict())
    lines = [line for line in map(str.strip, output.splitlines()) if not _NPM_CODE.fullmatch(line)]
    lines = [line for line in lines if not _PROGRESS.fullmatch(line)]
    words = ("error", "not found", "err_", "forbidden", "doesn't match")
    telling = (n for n, line in enumerate(lines) if any(word in line.lower() for word in words))
    first = next(telling, 0)
    error, *causes = lines[first:] or ["it gave no reason"]
    if not error.startswith("error: "):
        said = [error, *causes[:1]] if error.endswith(":") else [error]
        return _NPM_PREFIX.sub("", " ".join(said)).rstrip(".")
    return "\n".join([error, *causes]).rstrip(".")


def _reason_of_build(output: str) -> tuple[str, str] | None:
    """What is wrong, and what to do, where uv had to build a package, and that failed.

    The last line of what a build says is its error, as that of a traceback is.
    """
    build = _UV_BUILD.search(output)
    said = output.partition("[stderr]\n")[2].partition("\nhint: ")[0]
    if build is None or not said.strip():
        return None
    cause = said.rstrip().splitlines()[-1].strip()
    return (
        f"{build['package']} cannot be built from its source: {cause}".rstrip("."),
        "ask for a version of it that has a wheel for this Python and platform",
    )


def _reason_of_script(package: str, command: str, said: str) -> str:
    """What is wrong, where an install script of a package failed: its first line with an error."""
    lines = [line.removeprefix("npm error").strip() for line in said.splitlines()]
    lines = [line for line in lines if line and not _NPM_LOG.fullmatch(line)]
    telling = (line for line in lines if re.match(r"(?i)[\w.:\s]*(?:error|not found)\b", line))
    cause = next(telling, next(iter(lines), "it said nothing"))
    name = package.rpartition("node_modules/")[2]
    return f"the install script of {name} failed ({command}): {cause}".rstrip(".")
