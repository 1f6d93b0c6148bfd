"""Runs Python programs, with the monitor inside of the program's own process.

The interpreter and the SDK are the program's. It sends what it records through a file
without a name, which holds all that was known if the program dies.
"""

import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from plugin_image.renderer import supervise
from plugin_image.renderer.errors import ProjectError
from plugin_image.renderer.pulumi.hosts.python_packages import install
from plugin_image.renderer.pulumi.monitor.recording import Event
from plugin_image.renderer.pulumi.program import Failure, Program, Run
from plugin_image.renderer.supervise import Deadline

__all__ = ["install", "run"]

_RUNNER = Path(__file__).with_name("python_runner.py")


def run(program: Program, interpreter: Path, deadline: Deadline) -> Run:
    """Run the program with `interpreter`, in which its SDK is installed.

    Raises ProjectError when there is nothing to run.
    """
    if not program.reads_stacks:
        return _run(program, interpreter, deadline, address="")
    # What it takes to read other stacks stays in this process, and so does the monitor.
    from plugin_image.renderer.pulumi.monitor.session import Session

    events: list[Event] = []
    with Session(
        program.job(), events.append, env=program.env, read_stack=program.read_stack
    ) as session:
        run = _run(program, interpreter, deadline, address=session.endpoint())
    return replace(run, events=[*events, *run.events])


def _run(program: Program, interpreter: Path, deadline: Deadline, *, address: str) -> Run:
    folder, entry = program.entry()
    if entry == "." and not (folder / "__main__.py").is_file():
        raise ProjectError(
            f"no __main__.py beside {program.project.file}",
            fix="add it, or name the program's file as `main`",
        )
    given = {"entry": entry, "job": program.job().to_json(), "address": address}
    with tempfile.TemporaryFile(dir=_memory()) as results:
        ended = supervise.run(
            [interpreter, _RUNNER, str(results.fileno())],
            doing="the program was running",
            cwd=folder,
            env=program.env,
            deadline=deadline,
            stdin=json.dumps(given).encode,
            pass_fds=[results.fileno()],
        )
        results.seek(0)
        events = list(_events(results.read()))
    failure = next((Failure(**event["failure"]) for event in events if "failure" in event), None)
    return Run(events, ended, failure)


def _events(data: bytes) -> Iterator[Event]:
    """The events a runner wrote, a line each; the last may be cut off."""
    for line in data.splitlines(keepends=True):
        if line.endswith(b"\n"):
            yield json.loads(line)


def _memory() -> str | None:
    """Where files never reach a disk, if there is such a place: they hold secrets."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # noqa: S108
