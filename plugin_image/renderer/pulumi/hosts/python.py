"""Runs Python programs, with the monitor inside of the program's own process.

The interpreter and the SDK are the program's. It sends what it records through an anonymous
file, which holds all that was known if the program dies.
"""

import json
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import IO, TYPE_CHECKING

from ... import files
from ...errors import ProjectError
from ...supervise import Server
from ..execution import Execution
from ..monitor.recording import Event, FailureEvent
from ..project import Project
from . import elsewhere, zygotes
from .host import CONFIGURATION_FIX, Failure, Installed, Run
from .lent import run_lent
from .python_packages import install

if TYPE_CHECKING:
    from ..monitor.plugin.packages import Program

__all__ = ["entry", "install", "run", "serve"]

entry = Project.entry
_VERSION = re.compile(r"pulumi-(\d+)\.(\d+)\.")
_KNOWS_UNKNOWN = (3, 256)
_RUNNER = Path(__file__).with_name("python_runner.py")
_FIXES = {
    "ConfigMissingError": CONFIGURATION_FIX,
    "ModuleNotFoundError": "add the package to requirements.txt, or to pyproject.toml and uv.lock",
    "MemoryError": "make the program smaller, or raise the plugin's memory limit",
}
"""What to do about exceptions by their type, where the runner does not say."""
_FIXES_BY_TEXT = {
    "on an Output[T] is not supported": (
        'make the string from the output\'s value: pulumi.Output.format("{0}", output), or '
        "output.apply"
    ),
    "Object of type Output is not JSON serializable": (
        "make the string from the output's value: pulumi.Output.json_dumps, or output.apply"
    ),
    **dict.fromkeys(
        ('(not "Output") to str', "str instance, Output found", "for +: 'Output' and 'str'"),
        "join the output's value with the rest: pulumi.Output.concat, or output.apply",
    ),
    "'Output' object is not callable": "call it on the output's value, in output.apply",
    "'>', for ": (
        "there is a list where a value of that class belongs: give one, or for a string the list's "
        "JSON (pulumi.Output.json_dumps)"
    ),
    "Expected 'list' got '<class 'str'>'": (
        "if the program has a kustomize.v2.Directory, use kustomize.Directory or a newer "
        "pulumi_kubernetes: the SDK takes its list of resources for a string "
        "(pulumi-kubernetes#3389)"
    ),
}
"""What to do about exceptions of the SDK by their words."""


def run(execution: Execution, interpreter: Installed) -> Run:
    """Run the program with `interpreter`, in which its SDK is installed, or with a fork of it.

    Raises ProjectError when there is nothing to run.
    """
    if execution.context.entry == "." and not files.exists(execution.folder / "__main__.py"):
        raise ProjectError(
            f"no __main__.py beside {execution.project.file}",
            fix="add it, or name the program's file as `main`",
        )
    zygote = zygotes.of_python(execution, interpreter.path)
    return run_lent(execution, zygote, lambda execution: _run(execution, interpreter))


def serve(
    execution: Execution, package: Project, interpreter: Installed, program: "Program"
) -> AbstractContextManager[Server]:
    """See `ComponentHost`. Source: pulumi/pulumi-language-python, RunPlugin."""
    if not knows_unknown(interpreter.path):
        program.lose_unknown()
    return execution.server([interpreter.path, package.root, program.endpoint()], execution.folder)


def knows_unknown(interpreter: Path) -> bool:
    """Whether the SDK that an interpreter has tells values that stay unknown from none."""
    packages = interpreter.parent.parent.glob("lib/python*/site-packages/pulumi-*.dist-info")
    versions = (_VERSION.match(found.name) for found in packages)
    return any(each and tuple(map(int, each.groups())) >= _KNOWS_UNKNOWN for each in versions)


def _run(execution: Execution, interpreter: Installed) -> Run:
    events: list[Event] = []
    with ExitStack() as open_:
        results = open_.enter_context(_nameless_file())
        notes = elsewhere.notes(execution.scratch)
        passed = [results.fileno()]
        given: dict[str, object] = {
            "context": execution.context.to_json(),
            "address": "",
            "providers": None,
            "elsewhere": str(notes),
            "watched": execution.is_watched,
        }
        if execution.read_stack or execution.packages:
            # What it takes to read other stacks stays in this process, and so does the monitor.
            # Packages are started and ended by this process, as the program itself is.
            session = open_.enter_context(execution.session(events.append))
            given["address"] = session.endpoint()
        elif providers := execution.providers():
            asking = open_.enter_context(providers.answering())
            given["providers"] = asking
            passed.append(asking)
        ended = execution.run(
            [interpreter.path, _RUNNER, str(results.fileno())],
            stdin=json.dumps(given).encode,
            pass_fds=passed,
            patience=elsewhere.PATIENCE_SECONDS,
        )
        results.seek(0)
        told = list(_events(results.read()))
    events += [*told, *elsewhere.refusals(notes, ended.survivors)]
    failure = next((_failure(event["failure"]) for event in told if "failure" in event), None)
    return Run(events, ended, failure, is_watched=any("seen" in event for event in told))


def _failure(told: FailureEvent) -> Failure:
    kind, _, message = told["text"].partition(":")
    told_by_text = (fix for words, fix in _FIXES_BY_TEXT.items() if words in message)
    fix = next(told_by_text, _FIXES.get(kind, ""))
    return Failure(told["text"], told["place"], told["traceback"], told["fix"] or fix)


def _events(data: bytes) -> Iterator[Event]:
    """The events a runner wrote, a line each; the last may be cut off."""
    for line in data.splitlines(keepends=True):
        if line.endswith(b"\n"):
            yield json.loads(line)


def _nameless_file() -> IO[bytes]:
    """A file in memory, for it holds secrets; not in /dev/shm, where a pod has room for 64 MB."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("events"), "w+b")
    return tempfile.TemporaryFile()
