"""Runs JavaScript and TypeScript programs by the SDK's own runner, `@pulumi/pulumi/cmd/run`.

The runner speaks gRPC to a monitor in this process. Its arguments and environment are
those of pulumi/pulumi `sdk/nodejs/cmd/pulumi-language-nodejs/main.go`.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from itertools import chain
from pathlib import Path

from ... import files
from ...errors import DependencyError
from ..execution import PARALLEL, Execution
from ..installer import tool
from ..monitor.recording import Event
from ..monitor.run_context import RunContext
from . import elsewhere, nodejs_failure, typescript
from .host import Run, logged_errors
from .nodejs_packages import install
from .typescript import CompiledSources

__all__ = ["install", "run"]

_RUNNER = Path(__file__).with_name("nodejs_runner.js")
_MODULES = Path(__file__).with_name("nodejs_modules.js")
_CHILD = Path(__file__).with_name("nodejs_child.js")
_READ_UNNAMED = ("package.json", "tsconfig.json", "index.js", "index.ts")
"""What Node.js and the compiler look for themselves, and would wait for."""
_MODULE_SUFFIXES = frozenset({".mjs", ".mts"})
_IMPORTS = re.compile(rb"""\bimport\s*[(/]|"type"\s*:\s*"module\"""")
"""A call of `import`, and what makes the files of a package.json's folder ES modules."""


def run(execution: Execution, installed: Path) -> Run:
    """Run the program with the modules in `installed`.

    Raises DependencyError when the SDK is not among them.
    """
    for name in _READ_UNNAMED:
        files.exists(execution.folder / name)
    runner = installed / "@pulumi" / "pulumi" / "cmd" / "run" / "index.js"
    if not runner.is_file():
        raise DependencyError(
            "@pulumi/pulumi is not among the program's dependencies",
            fix="add it to package.json, and commit a package-lock.json",
        )
    execution = execution.with_env(_modules_for(execution, installed))
    if not _is_typescript(execution):
        return _run(execution, runner, {})
    sources = CompiledSources(execution.cache, execution.project.root, installed, execution.env)
    if compiled := sources.kept():
        run = _run(execution, runner, {"compiled": str(compiled)})
        if not run.ended.status or run.ended.late:
            return run
        # The compiler reports failures best, and can compile what it was not asked for before.
    recorded = execution.scratch / "compiled.json"
    run = _run(execution, runner, {"recorded": str(recorded)})
    if not run.ended.status and recorded.exists():
        sources.keep(recorded)
    return run


def _run(execution: Execution, runner: Path, compilation: Mapping[str, str]) -> Run:
    """One run; `compilation` is what `nodejs_runner.js` is told of it."""
    ended_file = execution.scratch / "program-ended"
    ended_file.unlink(missing_ok=True)
    notes = elsewhere.notes(execution.scratch)
    events: list[Event] = []
    with ExitStack() as open_:
        secrets = open_.enter_context(os.fdopen(os.memfd_create("secrets"), "rb"))

        def addresses() -> bytes:
            """Where the monitor is, for the program and for what it starts.

            It is made while Node.js starts: both take their time.
            """
            session = open_.enter_context(execution.session(events.append))
            return f"{session.endpoint()} {session.endpoint_elsewhere()}".encode()

        told = {
            "runner": str(runner),
            "root": execution.context.root,
            "ended": str(ended_file),
            "notes": str(notes),
            "machineCode": str(execution.cache.folder_of("v8")),
            "secrets": secrets.fileno(),
            **compilation,
        }
        ended = execution.run(
            [tool("node", execution.env), _RUNNER, *_arguments(execution.context)],
            env={
                **_environment(execution, compile_=not compilation.get("compiled")),
                "RENDERER_RUN": json.dumps(told),
            },
            stdin=addresses,
            pass_fds=[secrets.fileno()],
            patience=elsewhere.PATIENCE_SECONDS,
        )
        secrets.seek(0)
        events += ({"secrets": [json.loads(line)]} for line in secrets if line.endswith(b"\n"))
    events += elsewhere.refusals(notes, ended.survivors)
    if ended_file.exists():
        events.append({"finished": True})
    failed = nodejs_failure.of(logged_errors(events), execution.folder) if ended.status else None
    return Run(events, ended, failed)


def _arguments(context: RunContext) -> list[str]:
    arguments = {
        "project": context.project,
        "stack": context.stack,
        "organization": context.organization,
        "root-directory": context.root,
        "pwd": context.folder,
        "parallel": str(PARALLEL),
    }
    return [*(f"--{name}={value}" for name, value in arguments.items()), context.entry]


def _environment(execution: Execution, *, compile_: bool) -> dict[str, str]:
    return {
        **execution.config_env(),
        "PULUMI_NODEJS_TYPESCRIPT": str(compile_ and _is_typescript(execution)).lower(),
        # Worker threads and processes have it from here.
        "NODE_OPTIONS": f'{execution.env.get("NODE_OPTIONS", "")} --require "{_CHILD}"',
    }


def _is_typescript(execution: Execution) -> bool:
    """Whether the runner gets a compiler, as it does unless the program declines."""
    return execution.project.runtime_options.get("typescript") is not False


def _modules_for(execution: Execution, installed: Path) -> dict[str, str]:
    """What lets Node.js find the modules where it looks for them, beside package.json."""
    root = execution.project.root
    link = root / "node_modules"
    if installed == link:
        return {}
    told = {
        "link": str(link),
        "installed": str(installed.resolve()),
        "imports": any(map(_imports, _module_files(root))),
    }
    # Also for workers, and for other programs in Node.js that the program starts.
    options = [execution.env.get("NODE_OPTIONS", ""), f'--require "{_MODULES}"']
    return {"NODE_OPTIONS": " ".join(options).strip(), "RENDERER_MODULES": json.dumps(told)}


def _module_files(root: Path) -> Iterator[Path]:
    """The program's modules, and the files that say what kind of modules they are."""
    code = (p for p in typescript.sources(root) if p.suffix != ".json" or p.name == "package.json")
    manifests = (folder / "package.json" for folder in (root, *root.parents))
    return filter(Path.is_file, chain(manifests, code))


def _imports(file: Path) -> bool:
    """Whether this may be an ES module, make others ES modules, or import one."""
    if file.suffix in _MODULE_SUFFIXES:
        return True
    with suppress(OSError):
        return _IMPORTS.search(file.read_bytes()) is not None
    return False
