"""Runs JavaScript and TypeScript programs by the SDK's own runner, `@pulumi/pulumi/cmd/run`.

The runner asks a monitor in this process, by pipes or by gRPC. Its arguments and environment are
those of pulumi/pulumi `sdk/nodejs/cmd/pulumi-language-nodejs/main.go`.
"""

import json
import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ... import files
from ...errors import DependencyError
from ...supervise import Server
from ..execution import PARALLEL, Execution
from ..installer import tool
from ..monitor.recording import Event
from ..monitor.run_context import RunContext, Unreadable
from ..project import Project
from . import (
    elsewhere,
    nodejs_entry,
    nodejs_failure,
    nodejs_kept,
    nodejs_layout,
    nodejs_options,
    typescript,
)
from .host import Installed, Run, logged_errors
from .lent import run_lent
from .nodejs_compiler import Compiler
from .nodejs_options import Options
from .nodejs_packages import install
from .nodejs_watched import can_be_watched
from .typescript import CompiledSources
from .zygotes import Zygotes

if TYPE_CHECKING:
    from ..monitor.plugin.packages import Program

__all__ = ["entry", "install", "run", "serve"]

entry = nodejs_entry.of

_MODULES = Path(__file__).with_name("nodejs_modules.js")
_CHILD = Path(__file__).with_name("nodejs_child.js")
_READ_UNNAMED = ("package.json", "tsconfig.json", "index.js", "index.ts")
"""What Node.js and the compiler look for themselves, and would wait for."""
_NOT_COMPILED = 75
"""How `nodejs_runner.js` ends at a source that was not compiled before."""
_MODULE_SUFFIXES = frozenset({".mjs", ".mts"})
_IMPORTS = re.compile(rb"""\bimport\s*[(/]|"type"\s*:\s*"module\"""")
"""A call of `import`, and what makes the files of a package.json's folder ES modules."""


def run(execution: Execution, installed: Installed) -> Run:
    """Run the program with the modules in `installed`.

    Raises DependencyError when the SDK is not among them.
    """
    for name in _READ_UNNAMED:
        files.exists(execution.folder / name)
    modules = _modules(execution, installed)
    packages = nodejs_kept.of(execution, installed, modules)
    lender = packages.zygotes() if packages else None
    runner = modules / nodejs_layout.SDK / "cmd" / "run" / "index.js"
    imports = _has_modules(execution, installed)
    told = {
        "runner": str(runner),
        "beside": str(modules.with_name("package.json")),
        "watched": execution.is_watched
        and can_be_watched(execution.project, installed, execution.env, imports=imports),
    }
    given = execution.with_env(_modules_for(execution, installed, imports=imports))
    if not _is_typescript(execution) or not _is_known(execution, installed, modules):
        return _run(given, told, lender)
    settings = _settings(nodejs_options.read(execution.project))
    env = {**execution.env, **settings}
    root = execution.project.root
    begin = f"{os.path.relpath(execution.folder, root)}\0{execution.context.entry}"
    sources = CompiledSources(execution.cache, root, modules, env, begin)
    compiler = None
    if packages and typescript.has_any(root):
        compiler = Compiler(execution, packages, settings, installed.places)
    known = sources.kept()
    if known:
        if compiler:
            # The next commit will have use for it.
            compiler.want_ahead()
        run = _run(given, {**told, "compiled": str(known)}, lender)
        if run.ended.status != _NOT_COMPILED:
            return run
    return _run_new(given, told, lender, sources, None if known else compiler)


def _run_new(
    execution: Execution,
    told: Mapping[str, Any],
    lender: Zygotes | None,
    sources: CompiledSources,
    compiler: Compiler | None,
) -> Run:
    """Have the sources compiled before the run, or by the run itself, and keep what came of it."""
    compiled = compiler.compiled() if compiler else None
    run = _run(execution, {**told, "compiled": str(compiled)}, lender) if compiled else None
    if compiled is None or run is None or run.ended.status == _NOT_COMPILED:
        compiled = execution.scratch / "recorded.json"
        run = _run(execution, {**told, "recorded": str(compiled)}, lender)
    if not run.ended.status and compiled.exists():
        sources.keep(compiled)
        if compiler:
            compiler.want()
    return run


def serve(
    execution: Execution, package: Project, installed: Installed, program: "Program"
) -> AbstractContextManager[Server]:
    """See `ComponentHost`. Raises DependencyError when the SDK is not among the modules.

    Source: pulumi/pulumi `sdk/nodejs/cmd/pulumi-language-nodejs/main.go`, RunPlugin.
    """
    options = nodejs_options.read(package)
    of_package = execution.of_package(package)
    sdk = _modules(of_package, installed) / nodejs_layout.SDK
    if not knows_unknown(sdk):
        program.lose_unknown()
    runner = sdk / "cmd" / "run-plugin" / "index.js"
    imports = _has_modules(of_package, installed)
    modules = _modules_for(of_package, installed, imports=imports)
    told = execution.with_env({**modules, **_settings(options)})
    node = tool("node", execution.env)
    command: list[str | Path] = [node, *options.node, runner, package.root, program.endpoint()]
    return told.server(command, execution.folder)


def knows_unknown(sdk: Path) -> bool:
    """Whether an SDK tells values that stay unknown from none, as its protocol has it."""
    protocol = sdk / "proto" / "resource_pb.js"
    return b"RegisterResourceResponse.prototype.getUnknown" in files.read(protocol)


def _is_known(execution: Execution, installed: Installed, modules: Path) -> bool:
    """Whether it is the SDK's compiler, and looks at the project and what is installed alone.

    Packages in folders of the repository change without either.
    """
    options = nodejs_options.read(execution.project)
    config = Path(os.path.normpath(execution.folder / options.tsconfig))
    # By the ending of its name it counts among the sources.
    inside = config.is_relative_to(execution.project.root) and (
        not options.tsconfig or config.suffix == ".json"
    )
    stays = nodejs_kept.stays(modules, execution) and not _has_folders(execution, installed)
    return inside and not options.loaded and stays


def _has_folders(execution: Execution, installed: Installed) -> bool:
    """Whether packages are in folders of the repository: they have places of this render alone."""
    return any(path.is_relative_to(execution.scratch) for path in installed.places.values())


def _modules(execution: Execution, installed: Installed) -> Path:
    """The folder in which the program finds the SDK. Raises DependencyError where none has it."""
    for folder in files.upwards(execution.folder, execution.project.repository):
        there = folder / "node_modules"
        modules = installed.places.get(there, there)
        if (modules / nodejs_layout.SDK / "cmd" / "run" / "index.js").is_file():
            return modules
    raise DependencyError(
        "@pulumi/pulumi is not among the program's dependencies",
        fix="add it to package.json, and commit a package-lock.json",
    )


def _run(execution: Execution, given: Mapping[str, Any], lender: Zygotes | None) -> Run:
    """One run, in a fork of what is kept if there is any; `given` is what `_run_once` gets."""
    return run_lent(execution, lender, lambda execution: _run_once(execution, given))


def _run_once(execution: Execution, given: Mapping[str, Any]) -> Run:
    """One run; `given` is what `nodejs_runner.js` is told of what it loads."""
    options = nodejs_options.read(execution.project)
    ended_file = execution.scratch / "program-ended"
    ended_file.unlink(missing_ok=True)
    notes = elsewhere.notes(execution.scratch)
    folder = Path(tempfile.mkdtemp(prefix="pipes-", dir=execution.scratch))
    pipes = {name: folder / name for name in ("requests", "answers")}
    events: list[Event] = []
    with ExitStack() as open_:
        telling = open_.enter_context(os.fdopen(os.memfd_create("events"), "rb"))

        def addresses() -> bytes:
            """Where the monitor is, for the program and for what it starts.

            It is made while Node.js starts: both take their time.
            """
            session = open_.enter_context(execution.session(events.append))
            return f"{session.serve_by_pipes(**pipes)} {session.endpoint_elsewhere()}".encode()

        places = {"ended": ended_file, "notes": notes, "pipes": pipes}
        asked = _asked(execution, {**places, "told": telling.fileno(), **given})
        ended = execution.run(
            [
                tool("node", execution.env),
                *options.node,
                nodejs_kept.RUNNER,
                *_arguments(execution.context),
            ],
            env={
                **_environment(execution, options, compile_="compiled" not in given),
                "RENDERER_RUN": json.dumps(asked, default=str),
            },
            stdin=addresses,
            pass_fds=[telling.fileno()],
            patience=elsewhere.PATIENCE_SECONDS,
        )
        telling.seek(0)
        told = [json.loads(line) for line in telling if line.endswith(b"\n")]
    events += [*told, *elsewhere.refusals(notes, ended.survivors)]
    if ended_file.exists():
        events.append({"finished": True})
    failed = nodejs_failure.of(logged_errors(events), execution.folder) if ended.status else None
    is_watched = any("seen" in event for event in told)
    if is_watched:
        # The program tells of nothing in there, and it may be committed beside the project.
        modules = Path(given["beside"]).with_name("node_modules")
        events.append({"seen": {"paths": [str(modules)]}})
    return Run(events, ended, failed, is_watched=is_watched)


def _asked(execution: Execution, given: Mapping[str, Any]) -> dict[str, Any]:
    """What `nodejs_runner.js` is told of a run; `given` is what is of this one's own."""
    return {
        "root": execution.context.root,
        "machineCode": execution.cache.folder_of("v8"),
        "unreadable": _messages(execution.context.unreadable),
        "loaded": nodejs_options.read(execution.project).loaded,
        **given,
    }


def _messages(unreadable: Unreadable | None) -> dict[str, list[tuple[str, str]]] | None:
    """What `nodejs_unreadable.js` says, by the number of a placeholder; None to follow none."""
    if unreadable is None or not unreadable.followed:
        return None
    numbers = range(len(unreadable.keys))
    return {
        "needed": [unreadable.needed(number) for number in numbers],
        "lost": [unreadable.lost(number, "{place}") for number in numbers],
    }


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


def _environment(execution: Execution, options: Options, *, compile_: bool) -> dict[str, str]:
    return {
        **execution.config_env(),
        **_settings(options),
        "PULUMI_NODEJS_TYPESCRIPT": str(compile_ and _is_typescript(execution)).lower(),
        # Worker threads and processes have it from here.
        "NODE_OPTIONS": f'{execution.env.get("NODE_OPTIONS", "")} --require "{_CHILD}"',
    }


def _settings(options: Options) -> dict[str, str]:
    """What tells the SDK of the compiler's settings, where they are not in tsconfig.json."""
    return {"PULUMI_NODEJS_TSCONFIG_PATH": options.tsconfig} if options.tsconfig else {}


def _is_typescript(execution: Execution) -> bool:
    """Whether the runner gets a compiler.

    It does unless the program declines, which then has a compiler of its own in `nodeargs` or is
    JavaScript: what it was built from is neither.
    """
    options = nodejs_options.read(execution.project)
    is_built_here = nodejs_entry.is_typescript(execution.context.entry) and not options.loaded
    return options.typescript or is_built_here


def _modules_for(execution: Execution, installed: Installed, *, imports: bool) -> dict[str, str]:
    """What lets Node.js find the modules where it looks for them, beside package.json."""
    if not installed.places:
        return {}
    told = {
        "places": {str(there): str(place) for there, place in installed.places.items()},
        "imports": imports,
    }
    # Also for workers, and for other programs in Node.js that the program starts.
    options = [execution.env.get("NODE_OPTIONS", ""), f'--require "{_MODULES}"']
    return {"NODE_OPTIONS": " ".join(options).strip(), "RENDERER_MODULES": json.dumps(told)}


def _has_modules(execution: Execution, installed: Installed) -> bool:
    """Whether anything may be imported, as far as files tell; packages' in folders are not read."""
    has_folders = _has_folders(execution, installed)
    return has_folders or any(map(_imports, _module_files(execution.project)))


def _module_files(project: Project) -> Iterator[Path]:
    """The program's modules, and the files that say what kind of modules they are."""
    sources = typescript.sources(project.root)
    code = (path for path in sources if path.suffix != ".json" or path.name == "package.json")
    # Node.js asks those above the repository, too.
    manifests = (folder / "package.json" for folder in (project.root, *project.root.parents))
    return filter(Path.is_file, chain(manifests, code))


def _imports(file: Path) -> bool:
    """Whether this may be an ES module, make others ES modules, or import one."""
    if file.suffix in _MODULE_SUFFIXES:
        return True
    with suppress(OSError):
        return _IMPORTS.search(file.read_bytes()) is not None
    return False
