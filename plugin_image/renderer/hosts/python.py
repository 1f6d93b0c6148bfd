"""Runs Python programs, with the monitor inside of the program's own process.

The interpreter and the SDK are the program's. It sends what it records through a file
without a name, which holds all that was known if the program dies.
"""

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from plugin_image.renderer import dependencies, supervise
from plugin_image.renderer.dependencies import Cache
from plugin_image.renderer.errors import ProjectError
from plugin_image.renderer.monitor.recording import Recording
from plugin_image.renderer.program import Failure, Program, Run
from plugin_image.renderer.supervise import Deadline

_OTHER_LOCKS = ("uv.lock", "poetry.lock", "Pipfile.lock")
_RUNNER = Path(__file__).with_name("python_runner.py")


def install(root: Path, cache: Cache) -> Path:
    """The interpreter that has what `requirements.txt` asks for, or else the image's.

    Raises DependencyError, also for the lock files of other tools, and DeadlineError.
    """
    requirements = root / "requirements.txt"
    if not requirements.is_file():
        dependencies.refuse_other_locks(root, _OTHER_LOCKS, "requirements.txt")
        return Path(sys.executable)

    def fill(folder: Path) -> None:
        uv, venv = dependencies.tool("uv"), folder / "venv"
        cache.run([uv, "venv", "--quiet", "--relocatable", "--python", sys.executable, venv], root)
        install: list[str | Path] = [uv, "pip", "install", "--quiet", "--compile-bytecode"]
        cache.run([*install, "--python", _python(venv), "--requirement", requirements], root)

    return _python(cache.once("python", [requirements], fill) / "venv")


def _python(venv: Path) -> Path:
    return venv / "bin" / "python"


def run(program: Program, interpreter: Path, deadline: Deadline) -> Run:
    """Run the program with `interpreter`, in which its SDK is installed.

    Raises ProjectError when there is nothing to run, and DeadlineError.
    """
    folder, entry = program.entry()
    if entry == "." and not (folder / "__main__.py").is_file():
        raise ProjectError(
            f"no __main__.py beside {program.project.file}",
            fix="add it, or name the program's file as `main`",
        )
    with tempfile.TemporaryFile(dir=_memory()) as results:
        ended = supervise.run(
            [interpreter, "-X", "frozen_modules=on", _RUNNER, str(results.fileno())],
            doing="the program was running",
            cwd=folder,
            env=program.env,
            deadline=deadline,
            stdin=json.dumps(_job(program, entry)).encode(),
            pass_fds=[results.fileno()],
        )
        results.seek(0)
        events = list(_events(results.read()))
    failure = next((Failure(**event["failure"]) for event in events if "failure" in event), None)
    return Run(Recording.of(events), ended, failure)


def _job(program: Program, entry: str) -> dict[str, Any]:
    return {
        "entry": entry,
        "root": str(program.project.root.resolve()),
        "project": program.project.name,
        "stack": program.stack,
        "organization": program.ORGANIZATION,
        "namespace": program.namespace,
        "config": dict(program.configuration.values),
        "secret_keys": sorted(program.configuration.secret_keys),
    }


def _events(data: bytes) -> Iterator[dict[str, Any]]:
    """The events a runner wrote, a line each; the last may be cut off."""
    for line in data.splitlines(keepends=True):
        if line.endswith(b"\n"):
            yield json.loads(line)


def _memory() -> str | None:
    """Where files never reach a disk, if there is such a place: they hold secrets."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # noqa: S108
