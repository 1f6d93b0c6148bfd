"""Builds and runs Go programs, against a monitor in this process.

A Go program is one binary that takes everything from its environment. Source: pulumi/pulumi
`sdk/go/pulumi-language-go/main.go` and `sdk/go/pulumi/run.go`. The binary is kept under a
hash of the module's sources.
"""

import os
import re
from pathlib import Path

from ... import files
from ...errors import ProjectError
from .. import dependencies
from ..execution import PARALLEL, Execution
from ..installer import Installer
from ..monitor.recording import Event
from . import go_sdk
from .host import Failure, Run, configuration_fix, logged_errors

_REPLACEMENT = re.compile(r"=>\s*[\"`]?((?:\.\.?|/)[^\s\"`]*)")
"""A folder with which go.mod replaces a module."""
_COMPILED = frozenset({".go", ".s", ".S", ".h", ".syso"})
_NAMED = frozenset({"go.mod", "go.sum", "modules.txt"})
"""What Go reads without cgo. Source: go/build, matchFile."""
_BINARY = "program"
_SIGNALLED: Event = {"signalled": True}
"""The SDK's word, which it gives once all has been registered and nothing has failed."""
_HEADER = re.compile(
    r"an unhandled error occurred: program failed:|\d+ errors? occurred:|waiting for RPCs:"
)
"""What the SDK says before it says what is wrong."""
_EARLY_END_FIX = (
    "remove the call of os.Exit(0), and let an error of pulumi.RunErr end the program with "
    "another status"
)


def install(root: Path, installer: Installer) -> Path:
    """The program's binary, built if its sources are new.

    Raises ProjectError without a go.mod or for a module outside of the project, and
    DependencyError when Go is missing or the build fails.
    """
    if not files.exists(root / "go.mod"):
        raise ProjectError("no go.mod beside Pulumi.yaml", fix="put the program into a Go module")
    if _replaces_from_outside(root):
        raise ProjectError(
            "go.mod replaces a module by a folder outside of the project",
            fix="move the folder into the project, or publish the module",
        )
    sources = _sources(root)

    def fill(folder: Path) -> None:
        flags = ["-trimpath", "-buildvcs=false", *go_sdk.build_flags(root, installer)]
        go_sdk.go(installer, ["build", *flags, "-o", folder / _BINARY, "."], root)

    return installer.cache.once("go", root, sources, fill) / _BINARY


def _replaces_from_outside(root: Path) -> bool:
    folders = _REPLACEMENT.findall(files.text(root / "go.mod"))
    return not all(Path(os.path.normpath(root / name)).is_relative_to(root) for name in folders)


def _sources(root: Path) -> list[Path]:
    """Files that may be part of the binary: sources, and what may be embedded into one.

    The latter is below the source's own folder; nothing else of the project is looked at.
    """
    inside, found = files.repository(root), dependencies.project_files(root)
    sources = [path for path in found if path.suffix in _COMPILED or path.name in _NAMED]
    embedding = {
        path.parent
        for path in sources
        if path.suffix == ".go" and b"//go:embed" in files.read(path, inside)
    }
    embedded = (path for path in found if embedding.intersection(path.parents))
    return sorted({*sources, *embedded})


def run(execution: Execution, binary: Path) -> Run:
    """Run the binary."""
    events: list[Event] = []
    with execution.session(events.append) as session:
        ended = execution.run([binary], env=_environment(execution, session.endpoint()))
    if _SIGNALLED in events:
        events.append({"finished": True})
    failure = _failure(events, ended.output) if ended.status else None
    return Run(events, ended, failure, early_end_fix=_EARLY_END_FIX)


def _environment(execution: Execution, address: str) -> dict[str, str]:
    context = execution.context
    return {
        **execution.config_env(),
        "PULUMI_PROJECT": context.project,
        "PULUMI_ROOT_DIRECTORY": context.root,
        "PULUMI_STACK": context.stack,
        "PULUMI_ORGANIZATION": context.organization,
        "PULUMI_DRY_RUN": "false",
        "PULUMI_PARALLEL": str(PARALLEL),
        "PULUMI_MONITOR": address,
        "PULUMI_ENGINE": address,
    }


def _failure(events: list[Event], output: str) -> Failure:
    """What the program logged as an error, or else the last line that tells one."""
    errors = logged_errors(events)
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    telling = [line for line in lines if line.startswith(("error:", "panic:", "fatal error:"))]
    text = next(iter([*map(_first_cause, errors), *telling, *lines[-1:]]), "it said nothing")
    return Failure(text=text, place="", traceback="\n".join(errors), fix=configuration_fix(text))


def _first_cause(error: str) -> str:
    """The line that matters; the SDK wraps errors and lists them, each after an asterisk."""
    lines = [line.strip() for line in error.splitlines()]
    causes = [line.removeprefix("* ") for line in lines if line.startswith("* ")]
    told = [line for line in lines if line and not _HEADER.fullmatch(line)]
    return next(filter(None, [*causes, *told, *lines]), "")
