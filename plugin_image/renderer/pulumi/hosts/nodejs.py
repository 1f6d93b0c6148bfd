"""Runs JavaScript and TypeScript programs by the SDK's own runner, `@pulumi/pulumi/cmd/run`.

The runner speaks gRPC to a monitor in this process. Its arguments and environment are
those of pulumi/pulumi `sdk/nodejs/cmd/pulumi-language-nodejs/main.go`.
"""

import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from plugin_image.renderer import supervise
from plugin_image.renderer.errors import DependencyError, ProjectError
from plugin_image.renderer.plain import plain
from plugin_image.renderer.pulumi import dependencies
from plugin_image.renderer.pulumi.hosts.nodejs_packages import install
from plugin_image.renderer.pulumi.hosts.typescript import CompiledSources
from plugin_image.renderer.pulumi.monitor.recording import Event, Recording
from plugin_image.renderer.pulumi.program import Failure, Program, Run
from plugin_image.renderer.supervise import Deadline

__all__ = ["install", "run"]

_RUNNER = Path(__file__).with_name("nodejs_runner.js")
_PARALLEL = 16
_MACHINE_CODE_KEPT = 8000
"""How many modules; a program with its SDK and Kubernetes has about a thousand."""
_DIAGNOSTIC = re.compile(r"(\S+)\((\d+),\d+\): (error TS\d+: .*)")
"""How TypeScript tells what it found: `index.ts(3,7): error TS2322: Type …`."""
_REFERENCE = re.compile(r"^<ref \*\d+> ")
"""How Node.js marks an error that refers to itself."""
_HEADER = re.compile(
    r"Running program '.*' failed with an unhandled exception:"
    r"|TSError: ⨯ Unable to compile TypeScript:"
)


def run(program: Program, installed: Path, deadline: Deadline) -> Run:
    """Run the program with the modules in `installed`.

    Raises DependencyError when the SDK is not among them, and ProjectError when `main` names
    nothing.
    """
    runner = installed / "@pulumi" / "pulumi" / "cmd" / "run" / "index.js"
    if not runner.is_file():
        raise DependencyError(
            "@pulumi/pulumi is not among the program's dependencies",
            fix="add it to package.json, and commit a package-lock.json",
        )
    with _modules_beside(program.project.root, installed):
        if not _is_typescript(program):
            return _run(program, runner, {}, deadline)
        sources = CompiledSources(program.cache, program.project.root, installed, program.env)
        if compiled := sources.kept():
            run = _run(program, runner, {"compiled": str(compiled)}, deadline)
            if not run.ended.status or run.ended.late:
                return run
            # The compiler tells failures best, and what it was not asked for before.
        recorded = program.scratch / "compiled.json"
        run = _run(program, runner, {"recorded": str(recorded)}, deadline)
        if not run.ended.status and recorded.exists():
            sources.keep(recorded)
        return run


def _run(program: Program, runner: Path, compilation: Mapping[str, str], deadline: Deadline) -> Run:
    """One run; `compilation` is what `nodejs_runner.js` is told of it."""
    folder, entry = program.entry()
    ended_file = program.scratch / "program-ended"
    ended_file.unlink(missing_ok=True)
    events: list[Event] = []
    with ExitStack() as open_:

        def address() -> bytes:
            """Where the monitor is, which is made while Node.js starts: both take their time."""
            from plugin_image.renderer.pulumi.monitor.session import Session

            session = Session(
                program.job(), events.append, env=program.env, read_stack=program.read_stack
            )
            return open_.enter_context(session).endpoint().encode()

        told = {
            "runner": str(runner),
            "root": str(program.project.root),
            "ended": str(ended_file),
            "machineCode": str(_machine_code(program.cache)),
            **compilation,
        }
        ended = supervise.run(
            [dependencies.tool("node"), _RUNNER, *_arguments(program, folder), entry],
            doing="the program was running",
            cwd=folder,
            env={
                **program.env,
                **_environment(program, compile_=not compilation.get("compiled")),
                "RENDERER_RUN": json.dumps(told),
            },
            deadline=deadline,
            stdin=address,
        )
    if ended_file.exists():
        events.append({"finished": True})
    return Run(events, ended, _failure(Recording.of(events), folder) if ended.status else None)


def _arguments(program: Program, folder: Path) -> list[str]:
    arguments = {
        "project": program.project.name,
        "stack": program.stack,
        "organization": program.ORGANIZATION,
        "root-directory": str(program.project.root.resolve()),
        "pwd": str(folder),
        "parallel": str(_PARALLEL),
    }
    return [f"--{name}={value}" for name, value in arguments.items()]


def _environment(program: Program, *, compile_: bool) -> dict[str, str]:
    return {
        "PULUMI_CONFIG": json.dumps(dict(program.configuration.values)),
        "PULUMI_CONFIG_SECRET_KEYS": json.dumps(sorted(program.configuration.secret_keys)),
        "PULUMI_NODEJS_TYPESCRIPT": str(compile_ and _is_typescript(program)).lower(),
    }


def _is_typescript(program: Program) -> bool:
    """Whether the runner gets a compiler, as all programs do that do not decline."""
    return program.project.runtime_options.get("typescript") is not False


def _machine_code(cache: Path) -> Path:
    """The folder of what V8 made of modules, emptied when it is full.

    The program's own modules come from a new folder each time, so that it would only grow.
    """
    folder = cache / "v8"
    if folder.is_dir() and sum(len(files) for _, _, files in os.walk(folder)) > _MACHINE_CODE_KEPT:
        shutil.rmtree(folder, ignore_errors=True)
    return folder


@contextmanager
def _modules_beside(root: Path, installed: Path) -> Iterator[None]:
    """Let Node.js find the modules, which it looks for in the program's folder and above."""
    link = root / "node_modules"
    if link.exists():
        yield
        return
    try:
        link.symlink_to(installed.resolve())
    except OSError as error:
        raise ProjectError(
            f"node_modules cannot be put beside package.json: {error.strerror}",
            fix="render a copy of the folder that may be written to",
        ) from error
    try:
        yield
    finally:
        link.unlink()


def _failure(recording: Recording, folder: Path) -> Failure | None:
    """What ended the program, from the error its runner logged.

    That is `Running program '…' failed with an unhandled exception:` and a stack or what the
    compiler found, or the message alone.
    """
    errors = [plain(message.text) for message in recording.messages if message.severity == "error"]
    if not errors:
        return None
    lines = [line.strip() for line in errors[0].splitlines() if line.strip()]
    told = [_REFERENCE.sub("", line) for line in lines if not _HEADER.match(line)] or lines
    if diagnostic := next(filter(None, map(_DIAGNOSTIC.match, told)), None):
        file, line, text = diagnostic.groups()
        return Failure(text=text, place=f"{file}:{line}", traceback=errors[0])
    frame = re.search(rf"{re.escape(str(folder))}/([^\s():]+):(\d+)", errors[0])
    place = f"{frame[1]}:{frame[2]}" if frame and "node_modules" not in frame[1] else ""
    return Failure(text=told[0] if told else errors[0], place=place, traceback=errors[0])
