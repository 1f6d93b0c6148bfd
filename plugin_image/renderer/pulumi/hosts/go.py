"""Builds and runs Go programs, against a monitor in this process, and component packages in Go.

Each is one binary, kept under a hash of all sources of its modules. A program takes everything from
its environment. Source: pulumi/pulumi `sdk/go/pulumi-language-go/main.go` and
`sdk/go/pulumi/run.go`.
"""

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ... import files
from ...errors import ProjectError, RenderError
from ...supervise import Server
from .. import dependencies
from ..execution import Execution
from ..installer import Installer
from ..monitor.plugin.program import GO_SETTINGS
from ..monitor.recording import Event
from ..project import Project
from . import go_failure, go_modules, go_places, go_sdk, go_seen, go_shipped, runtime_options
from .host import Installed, Run, keep_hindrances, logged_errors, tell_hindrances

if TYPE_CHECKING:
    from ..monitor.plugin.packages import Program

entry = Project.entry
_OPTIONS = {"binary": str, "buildTarget": str}
"""The second says where to leave the binary, which a render leaves nowhere."""
_BINARY = "program"
_CODE = "code.json"
"""A file beside it: where the code of the repository is that it is built from."""
_RULES = Path(go_seen.__file__).read_text()
"""What is noted of a build by these counts as long as they are the same."""
_CHOOSING = ("GOARCH", "GOEXPERIMENT", "GOFLAGS", "GOOS")
"""Variables that say which of a package's files are built, by tags for example."""
_SIGNALLED: Event = {"signalled": True}
"""The SDK's word, which it gives once all has been registered and nothing has failed."""
_EARLY_END_FIX = (
    "call pulumi.Run, remove the call of os.Exit(0), and let an error of pulumi.RunErr end the "
    "program with another status; a committed binary takes the Pulumi SDK 3.182 or newer"
)


def install(project: Project, installer: Installer) -> Installed:
    """The program's binary: built if its sources are new, or the one that the project names.

    Of a package it is built anyway. Source: pulumi/pulumi `sdk/go/pulumi-language-go/main.go`,
    RunPlugin.

    Raises ProjectError without a go.mod, for a module outside of the repository, for a binary
    that is not in it, a folder without sources and a package that is no program, DependencyError
    when Go is missing or the build fails, and ProgramError for what does not compile.
    """
    options = runtime_options.read(project, _OPTIONS)
    if (binary := options.get("binary")) and not project.is_package:
        return Installed(_prebuilt(project, binary, installer))
    folder, _ = entry(project)
    modules = go_modules.find(project, folder)

    def fill(made: Path) -> None:
        _require_sources(folder, project)
        flags = [*go_shipped.FLAGS, *go_sdk.build_flags(modules, installer)]
        build: list[str | Path] = ["build", *flags, "-o", made / _BINARY, "."]
        go_sdk.go(installer, build, folder, modules.workspace)
        listed = installer.scratch / "packages.json"
        ask = ["list", "-deps", f"-json={go_seen.ASKED}", *flags, "."]
        go_sdk.go(installer, ask, folder, modules.workspace, result=listed)
        packages = go_seen.packages(listed.read_text())
        _require_program(packages, project)
        hindrances = go_seen.hindrances(packages, installer.cache.downloads(go_sdk.MODULES))
        keep_hindrances(made, hindrances)
        told = go_places.written(packages, folder, project.repository)
        (made / _CODE).write_text(told)

    # One module may have several programs.
    sources = modules.sources()
    base = dependencies.base(sources, project.repository)
    package = str(folder.relative_to(base))
    chosen = [f"{name}={installer.env.get(name, '')}" for name in _CHOOSING]
    settings = [package, *chosen, _RULES]
    store = installer.cache.once("go", base, sources, fill, settings=settings)
    return Installed(store / _BINARY)


def _require_sources(folder: Path, project: Project) -> None:
    """Raise ProjectError for a folder without Go files. Source: `main.go`, compileProgram."""
    if not any(folder.glob("*.go")):
        raise ProjectError(
            f"the folder that {project.file} leads to has no Go files",
            fix=f"let `main` of {project.file} name the folder of the program",
        )


def _require_program(packages: list[go_seen.Package], project: Project) -> None:
    """Raise ProjectError for a package that Go builds, too, but not into a program."""
    for name in (package["Name"] for package in go_seen.own(packages)):
        if name != "main":
            raise ProjectError(
                f"the Go package that {project.file} leads to is {name!r}, and only 'main' is a "
                "program",
                fix=f"let `main` of {project.file} name the folder of the program",
            )


def _prebuilt(project: Project, binary: str, installer: Installer) -> Path:
    """A copy of the binary that is committed: Argo CD does not keep files executable.

    Its path starts where the program runs. Source: pulumi/pulumi
    `sdk/go/common/util/executable/executable.go`, whose working directory `pkg/host/host.go` gives.
    """
    if project.runtime_options.get("buildTarget"):
        raise ProjectError(
            f"`binary` and `buildTarget` in `runtime.options` of {project.file} exclude each other",
            fix="keep one of them",
        )
    folder, _ = entry(project)
    path = Path(os.path.normpath(folder / binary))
    if not path.is_relative_to(project.repository) or not files.exists(path):
        raise ProjectError(
            f"`binary` in `runtime.options` of {project.file} is {binary!r}, which is not in the "
            "repository",
            fix="remove the option, so that the program is built here, or commit the binary",
        )

    def fill(made: Path) -> None:
        shutil.copyfile(path, made / _BINARY)
        (made / _BINARY).chmod(0o755)

    return installer.cache.once("go", path.parent, [path], fill) / _BINARY


def run(execution: Execution, binary: Installed) -> Run:
    """Run the binary."""
    events: list[Event] = []
    code = go_places.read(binary.path.with_name(_CODE), execution.folder)
    execution = execution.with_code(code)
    with execution.session(events.append) as session:
        env = {**execution.sdk_env(session.endpoint()), **go_places.tracing(execution.env)}
        ended = execution.run([binary.path], env=env)
    if any("left_out" in event for event in events) and not go_sdk.knows_unknown(binary.path):
        events.append({"unknown_lost": True})
    if _SIGNALLED in events:
        events.append({"finished": True})
    failure = None
    if ended.status:
        place = go_places.innermost(ended.output, code, execution.project.root)
        failure = go_failure.of(logged_errors(events), ended.output, ended.how(), place)
    is_watched = execution.is_watched and tell_hindrances(binary.path.parent, events)
    return Run(events, ended, failure, early_end_fix=_EARLY_END_FIX, is_watched=is_watched)


@contextmanager
def serve(
    execution: Execution, package: Project, binary: Installed, program: "Program"
) -> Iterator[Server]:
    """See `ComponentHost`. Source: pulumi/pulumi `sdk/go/pulumi-language-go/main.go`, RunPlugin."""
    if not go_sdk.knows_unknown(binary.path):
        program.lose_unknown()
    folder, _ = entry(package)
    code = go_places.read(binary.path.with_name(_CODE), folder)
    told = execution.with_env({**GO_SETTINGS, **go_places.tracing(execution.env)})
    with ExitStack() as open_:
        try:
            started = told.server([binary.path, program.endpoint()], execution.folder)
            server = open_.enter_context(started)
        except RenderError as error:
            raise _with_paths(error, code) from error
        yield replace(server, output=lambda: go_places.with_paths(server.output(), code))


def _with_paths(error: RenderError, code: Mapping[str, str]) -> RenderError:
    details = go_places.with_paths(error.details, code)
    return type(error)(error.summary, fix=error.fix, details=details)
