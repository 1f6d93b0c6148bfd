"""Builds and runs Java programs, against a monitor in this process.

Pulumi's language host lets Maven or Gradle compile and run a program in each run, in its own
folder. Here they compile it once for each state of its files, in a copy, and tell what they would
run, which `java` then runs without them.
Source: pulumi/pulumi-java `pkg/cmd/pulumi-language-java/main.go` and `pkg/internal/executors`.
"""

import itertools
import os
import re
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from ... import files
from ...errors import ProjectError
from .. import dependencies
from ..execution import Execution
from ..installer import Installer
from ..monitor.recording import Event
from ..project import Project
from . import (
    java_build,
    java_failure,
    java_gradle,
    java_launch,
    java_maven,
    java_seen,
    runtime_options,
)
from .host import Installed, Run, keep_hindrances, logged_errors, tell_hindrances
from .java_build import Build, Builder

entry = Project.entry
_BUILDERS: Final[Sequence[Builder]] = (java_maven, java_gradle)
"""In the order in which Pulumi's language host looks for them."""
_OF_PULUMI: Final = re.compile(r"Pulumi(?:Names)?(?:\.[^/]*)?\.(?:yaml|yml|json)")
"""Files of the project's folder that change with each stack, and are not compiled."""
_END: Final = Path(__file__).with_name("RendererEnd.java")
_AGENT: Final = "end.jar"
_RULES: Final = Path(java_seen.__file__).read_text()
"""What is noted of a build by these counts as long as they are the same."""
_OPTIONS: Final = (
    # A program runs for a second or two.
    *("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"),
    # Nothing is left in /tmp.
    "-XX:-UsePerfData",
    # As from Java 18 on, whatever the surroundings say.
    "-Dfile.encoding=UTF-8",
)
_REMARK: Final = re.compile(r"^SLF4J: .*\n?", re.MULTILINE)
"""What the SDK's logging says of itself in each run."""
_EARLY_END_FIX: Final = (
    "remove the call of System.exit or Runtime.halt, and let `main` end by Pulumi.run, "
    "which ends the process itself"
)


def install(project: Project, installer: Installer) -> Installed:
    """The program's classes and what they need, built if its files are new.

    Raises ProjectError without a pom.xml or build.gradle, DependencyError when the JDK or the
    tool is missing or fails, and ProgramError for what does not compile.
    """
    runtime_options.read(project, {})
    compiler = java_build.tool("javac", installer.env)
    folder, _ = entry(project)
    builder = _builder(project, folder)
    base = builder.base(project, folder)
    sources = sorted({*_sources(project, base, builder.OUTPUTS), *builder.related(project, base)})
    root = Path(os.path.commonpath([base, dependencies.base(sources, project.repository)]))

    def fill(made: Path) -> None:
        copied = dependencies.copied(sources, root, installer.scratch / "java")
        copy = copied / base.relative_to(root)
        build = Build(copy, _command(builder, copy, installer), installer)
        _make_agent(made, compiler, installer)
        launch = builder.launch(build, str(folder.relative_to(base)))
        launch.keep(made)
        keep_hindrances(made, java_seen.hindrances(launch, installer))

    program = str(folder.relative_to(root))
    settings = [builder.TOOL, program, str(compiler.resolve()), _END.read_text(), _RULES]
    return Installed(installer.cache.once("java", root, sources, fill, settings=settings))


def _builder(project: Project, folder: Path) -> Builder:
    """The module of the tool whose files are in the program's folder."""
    for builder in _BUILDERS:
        if any(files.exists(folder / name, project.repository) for name in builder.MARKERS):
            return builder
    raise ProjectError(
        f"neither a pom.xml nor a build.gradle beside {project.file}",
        fix="put the program into a project of Maven or Gradle, or let `main` of "
        f"{project.file} name the folder that has one",
    )


def _sources(project: Project, base: Path, outputs: frozenset[str]) -> Iterator[Path]:
    """The files that may decide about what is built."""
    for path in dependencies.project_files(base, project.repository):
        above = Path(os.path.relpath(path.parent, base)).parts
        folders = itertools.takewhile(lambda part: part != "src", above)
        is_of_pulumi = path.parent == project.root and _OF_PULUMI.fullmatch(path.name)
        if outputs.isdisjoint(folders) and not is_of_pulumi:
            yield path


def _command(builder: Builder, copy: Path, installer: Installer) -> list[str | Path]:
    wrapper = copy / builder.WRAPPER
    if not wrapper.exists():
        return [java_build.tool(builder.TOOL, installer.env)]
    # Argo CD does not keep files executable.
    wrapper.chmod(0o755)
    return [wrapper]


def _make_agent(made: Path, compiler: Path, installer: Installer) -> None:
    """Compile what notes the program's end into an archive that `java` loads before the program."""
    classes = installer.scratch / "agent"
    installer.run([compiler, "-d", classes, _END], installer.scratch)
    with zipfile.ZipFile(made / _AGENT, "w") as archive:
        archive.writestr("META-INF/MANIFEST.MF", f"Premain-Class: {_END.stem}\n")
        archive.write(classes / f"{_END.stem}.class", f"{_END.stem}.class")


def run(execution: Execution, installed: Installed) -> Run:
    """Run the program by `java`. Raises DependencyError where that is missing."""
    launch = java_launch.kept(installed.path)
    scratch = execution.scratch
    end = scratch / "ended"
    end.unlink(missing_ok=True)
    command: list[str | Path] = [
        java_build.tool("java", execution.env),
        *_OPTIONS,
        f"-Duser.home={scratch}",
        f"-Djava.io.tmpdir={scratch}",
        *launch.options,
        f"-javaagent:{installed.path / _AGENT}={end}",
        "-classpath",
        ":".join(launch.classpath),
        launch.main,
        *launch.arguments,
    ]
    # No version of the SDK heeds what the monitor says of values that stay unknown, and an Integer
    # is what is nearest to the number that it is told.
    events: list[Event] = [{"unknown_lost": True, "numbers_cut": True}]
    with execution.session(events.append) as session:
        env = execution.sdk_env(session.endpoint())
        ended = execution.run(command, env=env, cwd=execution.folder / launch.folder)
    if end.exists():
        events.append({"finished": True})
    ended = replace(ended, output=_REMARK.sub("", ended.output))
    failure = None
    if ended.status:
        failure = java_failure.of(logged_errors(events), ended.output, launch.has)
    is_seen = execution.is_watched and java_seen.VARIABLES.isdisjoint(execution.env)
    is_watched = is_seen and tell_hindrances(installed.path, events)
    return Run(events, ended, failure, early_end_fix=_EARLY_END_FIX, is_watched=is_watched)
