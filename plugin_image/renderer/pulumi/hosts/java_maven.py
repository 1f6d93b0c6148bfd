"""Lets Maven compile a Java program, and tell what `mvn exec:java` would run.

Source: pulumi/pulumi-java `pkg/internal/executors/executor_maven.go`, and ExecJavaMojo of
exec-maven-plugin.
"""

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from ... import files
from ...errors import ProjectError
from ..project import Project
from .java_build import Build
from .java_launch import Launch

MARKERS: Sequence[str] = ("pom.xml",)
OUTPUTS = frozenset({"target"})
TOOL = "mvn"
WRAPPER = "mvnw"

_CLASSPATH: Final = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath"
_EFFECTIVE: Final = "org.apache.maven.plugins:maven-help-plugin:3.5.1:effective-pom"
_EXEC: Final = "exec-maven-plugin"
_FROM_COMMAND_LINE: Final = "default-cli"
"""What Maven calls the execution of a goal that the command line names."""
_READ: Final = frozenset({"arguments", "commandlineArgs", "mainClass", "systemProperties"})
_WITHOUT_EFFECT: Final = frozenset(
    {"blockSystemExit", "cleanupDaemonThreads", "daemonThreadJoinTimeout", "executable"}
    | {"keepAlive", "killAfter", "stopUnresponsiveDaemonThreads", "workingDirectory"}
)
"""Settings that are not of `exec:java`, or change nothing of what a program registers."""
_ERROR: Final = re.compile(r"^(?:\[(?:ERROR|FATAL)\] )+(.*[^:\s])\s*$", re.MULTILINE)
"""Without headings, which end with a colon."""
_ADVICE: Final = re.compile(r" -> \[Help \d+\]$|^Failed to execute goal on project \S+: ")
_PACKAGES: Final = re.compile(r"^Could not resolve dependencies for project \S+: ")


def base(_project: Project, folder: Path) -> Path:
    """The folder that Maven is run in: the program's."""
    return folder


def related(project: Project, folder: Path) -> list[Path]:
    """Files outside of that folder that Maven reads with it: parents, and its own settings."""
    found: list[Path] = []
    pom = folder / "pom.xml"
    while (parent := _parent(pom, project)) and parent not in found:
        found.append(parent)
        pom = parent
    for above in files.upwards(folder, project.repository):
        if (settings := above / ".mvn").is_dir():
            found.extend(path for path in sorted(settings.rglob("*")) if path.is_file())
            break
    return found


def _parent(pom: Path, project: Project) -> Path | None:
    """The pom.xml of the repository that another one names as its parent."""
    parent = _parsed(files.read(pom, project.repository)).find("{*}parent")
    relative = "" if parent is None else parent.findtext("{*}relativePath", "../pom.xml").strip()
    if not relative:
        return None
    path = pom.parent.joinpath(relative).resolve()
    path = path / "pom.xml" if path.is_dir() else path
    is_there = path.is_relative_to(project.repository.resolve()) and files.exists(path)
    return project.repository / path.relative_to(project.repository.resolve()) if is_there else None


def _parsed(text: bytes) -> Element:
    try:
        # Entities that would fill the memory are an error, too.
        return ElementTree.fromstring(text)  # noqa: S314
    except ElementTree.ParseError as error:
        raise ProjectError(f"pom.xml is not XML: {error}", fix="correct it") from error


def launch(build: Build, _subproject: str) -> Launch:
    """See `Builder`."""
    installer = build.installer
    repository = installer.cache.downloads("maven")
    classpath, effective = installer.scratch / "classpath", installer.scratch / "effective-pom.xml"
    arguments = [
        *shlex.split(installer.env.get("MAVEN_ARGS", "")),
        "--batch-mode",
        "--no-transfer-progress",
        f"-Dmaven.repo.local={repository}",
        "compile",
        _CLASSPATH,
        "-Dmdep.includeScope=runtime",
        f"-Dmdep.outputFile={classpath}",
        _EFFECTIVE,
        f"-Doutput={effective}",
    ]
    env = {
        "MAVEN_ARGS": "",
        "MAVEN_OPTS": build.options("MAVEN_OPTS"),
        "MAVEN_USER_HOME": str(installer.cache.downloads("maven-wrapper")),
    }
    try:
        build.run(arguments, env, repository, _reason)
    finally:
        # Maven would not look again for a day for what was not there.
        for noted in repository.rglob("*.lastUpdated"):
            noted.unlink(missing_ok=True)
    pom = _parsed(effective.read_bytes())
    own = pom.findtext("{*}build/{*}outputDirectory", "")
    found = _launch(pom, [own, *filter(None, classpath.read_text().split(":"))])
    # With `exec:java` the program runs in Maven's own virtual machine.
    return replace(found, options=[*_options_of_maven(build), *found.options])


def _options_of_maven(build: Build) -> list[str]:
    """What the project's settings of Maven say of the virtual machine."""
    for folder in files.upwards(build.folder, build.installer.scratch):
        if (settings := folder / ".mvn").is_dir():
            config = settings / "jvm.config"
            return shlex.split(config.read_text(), comments=True) if config.is_file() else []
    return []


def _reason(output: str) -> str:
    """The first error."""
    error = _ERROR.search(output)
    return _PACKAGES.sub("", _ADVICE.sub("", error[1])) if error else ""


def _launch(pom: Element, classpath: list[str]) -> Launch:
    settings = {setting.tag.rpartition("}")[2]: setting for setting in _settings(pom)}
    for name in settings.keys() - _READ - _WITHOUT_EFFECT:
        raise ProjectError(
            f"pom.xml has {name!r} in the configuration of {_EXEC}, which is not read here",
            fix=f"let the program do with {', '.join(sorted(_READ))}",
        )

    def value(name: str, otherwise: str) -> str:
        text = settings[name].text if name in settings else None
        return (text or pom.findtext(f"{{*}}properties/{{*}}{otherwise}") or "").strip()

    # Maven takes one with its module, too.
    main = value("mainClass", "exec.mainClass").rpartition("/")[2]
    if not main:
        raise ProjectError(
            "pom.xml does not say which class to run",
            fix=f"name it in the configuration of {_EXEC}: `<mainClass>guestbook.App</mainClass>`",
        )
    listed = settings.get("arguments")
    arguments = shlex.split(value("commandlineArgs", "exec.args"))
    if listed is not None:
        arguments = [argument.text or "" for argument in listed]
    given = settings.get("systemProperties")
    pairs = [[part.text or "" for part in pair] for pair in (() if given is None else given)]
    options = [f"-D{'='.join(pair)}" for pair in pairs]
    return Launch(main, classpath, arguments, options)


def _settings(pom: Element) -> Iterator[Element]:
    """What configures `exec:java`, the more special settings last."""
    for plugin in pom.iterfind("{*}build/{*}plugins/{*}plugin"):
        if plugin.findtext("{*}artifactId") == _EXEC:
            yield from plugin.find("{*}configuration") or ()
            for execution in plugin.iterfind("{*}executions/{*}execution"):
                if execution.findtext("{*}id") == _FROM_COMMAND_LINE:
                    yield from execution.find("{*}configuration") or ()
