"""Runs JavaScript and TypeScript programs by the SDK's own runner, `@pulumi/pulumi/cmd/run`.

The runner speaks gRPC to a monitor in this process. Its arguments and environment are
those of pulumi/pulumi `sdk/nodejs/cmd/pulumi-language-nodejs/main.go`.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import replace
from itertools import chain
from pathlib import Path

from plugin_image.renderer import files, supervise
from plugin_image.renderer.errors import DependencyError
from plugin_image.renderer.pulumi import dependencies
from plugin_image.renderer.pulumi.hosts import elsewhere, nodejs_failure, typescript
from plugin_image.renderer.pulumi.hosts.nodejs_packages import install
from plugin_image.renderer.pulumi.hosts.typescript import CompiledSources
from plugin_image.renderer.pulumi.monitor.recording import Event, Recording
from plugin_image.renderer.pulumi.program import Program, Run
from plugin_image.renderer.supervise import Deadline

__all__ = ["install", "run"]

_RUNNER = Path(__file__).with_name("nodejs_runner.js")
_MODULES = Path(__file__).with_name("nodejs_modules.js")
_CHILD = Path(__file__).with_name("nodejs_child.js")
_PARALLEL = 16
_READ_UNNAMED = ("package.json", "tsconfig.json", "index.js", "index.ts")
"""What Node.js and the compiler look for themselves, and would wait for."""
_MODULE_SUFFIXES = frozenset({".mjs", ".mts"})
_IMPORTS = re.compile(rb"""\bimport\s*[(/]|"type"\s*:\s*"module\"""")
"""A call of `import`, and what makes the files of a package.json's folder ES modules."""


def run(program: Program, installed: Path, deadline: Deadline) -> Run:
    """Run the program with the modules in `installed`.

    Raises DependencyError when the SDK is not among them, and ProjectError when `main` names
    nothing.
    """
    folder, _ = program.entry()
    for name in _READ_UNNAMED:
        files.exists(folder / name)
    runner = installed / "@pulumi" / "pulumi" / "cmd" / "run" / "index.js"
    if not runner.is_file():
        raise DependencyError(
            "@pulumi/pulumi is not among the program's dependencies",
            fix="add it to package.json, and commit a package-lock.json",
        )
    program = replace(program, env={**program.env, **_modules_for(program, installed)})
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
    notes = program.scratch / "noted-elsewhere"
    for left in (ended_file, notes):
        left.unlink(missing_ok=True)
    events: list[Event] = []
    with ExitStack() as open_:
        secrets = open_.enter_context(os.fdopen(os.memfd_create("secrets"), "rb"))

        def addresses() -> bytes:
            """Where the monitor is, for the program and for what it starts.

            It is made while Node.js starts: both take their time.
            """
            from plugin_image.renderer.pulumi.monitor.session import Session

            session = Session(
                program.job(), events.append, env=program.env, read_stack=program.read_stack
            )
            open_.enter_context(session)
            return f"{session.endpoint()} {session.endpoint_elsewhere()}".encode()

        told = {
            "runner": str(runner),
            "root": str(program.project.root),
            "ended": str(ended_file),
            "notes": str(notes),
            "machineCode": str(program.cache.folder_of("v8")),
            "secrets": secrets.fileno(),
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
            stdin=addresses,
            pass_fds=[secrets.fileno()],
            patience=elsewhere.PATIENCE_SECONDS,
        )
        secrets.seek(0)
        events += ({"secrets": [json.loads(line)]} for line in secrets if line.endswith(b"\n"))
    events += elsewhere.refusals(notes, ended.survivors)
    if ended_file.exists():
        events.append({"finished": True})
    failed = nodejs_failure.of(Recording.of(events), folder) if ended.status else None
    return Run(events, ended, failed)


def _arguments(program: Program, folder: Path) -> list[str]:
    arguments = {
        "project": program.project.name,
        "stack": program.stack.name,
        "organization": program.stack.organization,
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
        # Worker threads and processes have it from here.
        "NODE_OPTIONS": f'{program.env.get("NODE_OPTIONS", "")} --require "{_CHILD}"',
    }


def _is_typescript(program: Program) -> bool:
    """Whether the runner gets a compiler, as all programs do that do not decline."""
    return program.project.runtime_options.get("typescript") is not False


def _modules_for(program: Program, installed: Path) -> dict[str, str]:
    """What lets Node.js find the modules where it looks for them, beside package.json."""
    link = program.project.root / "node_modules"
    if installed == link:
        return {}
    told = {
        "link": str(link),
        "installed": str(installed.resolve()),
        "imports": any(map(_imports, _module_files(program.project.root))),
    }
    # Also for workers, and for other programs in Node.js that the program starts.
    options = [program.env.get("NODE_OPTIONS", ""), f'--require "{_MODULES}"']
    return {"NODE_OPTIONS": " ".join(options).strip(), "RENDERER_MODULES": json.dumps(told)}


def _module_files(root: Path) -> Iterator[Path]:
    """The program's modules, and what says what kind of modules they are."""
    code = (p for p in typescript.sources(root) if p.suffix != ".json" or p.name == "package.json")
    manifests = (folder / "package.json" for folder in (root, *root.parents))
    return filter(Path.is_file, chain(manifests, code))


def _imports(file: Path) -> bool:
    """Whether this may be an ES module, make others such, or import one."""
    if file.suffix in _MODULE_SUFFIXES:
        return True
    with suppress(OSError):
        return _IMPORTS.search(file.read_bytes()) is not None
    return False
