"""Runs Pulumi YAML programs by their official language host: see `yaml_host`.

Source of the protocol: pulumi/pulumi `proto/pulumi/language.proto`.
"""

import re
from pathlib import Path
from typing import Any

import grpc
from pulumi.runtime.proto import language_pb2, language_pb2_grpc

from ...errors import DeadlineError
from ...supervise import Deadline, Ended
from ..execution import PARALLEL, Execution
from ..installer import Installer
from ..monitor.errors import details_of
from ..monitor.recording import Event
from ..monitor.values import structs
from ..project import Project
from . import go_sdk, yaml_failure, yaml_host
from .host import Installed, Run, logged_errors
from .yaml_components import serve

__all__ = ["entry", "install", "run", "serve"]

entry = Project.entry
_FAILED = 1
_FUNCTION = re.compile(r"(?i)fn::\s*([\w:/.-]*?):?(?![\w:/.-])")
_HARMLESS = frozenset(
    {"frombase64", "join", "secret", "select", "singleornone", "split", "tobase64", "tojson"}
)
"""Functions that look at nothing but their arguments, in small letters."""
_UNLIKE = re.compile(
    r"\\(?:[uUxN]|\r?\n)|\0|\$\{\s*pulumi\b(?!\s*\.\s*(?:organization|project|stack)\b)"
)
"""Characters that may spell a function otherwise, and what may tell where this very render is."""


def install(_project: Project, installer: Installer) -> Installed:
    """The language host; a YAML program has no dependencies of its own.

    Raises DependencyError when the host is not installed.
    """
    return Installed(installer.tool(yaml_host.NAME))


def run(execution: Execution, host: Installed) -> Run:
    """Let the language host run the program. Raises ProgramError when the host does not start."""
    folders = {execution.project.root, execution.folder}
    named = yaml_host.named(folders, execution.project) if execution.kept else None
    found = _run(execution, host, named)
    if named is None or found.failure is None:
        return found
    # It may name others in a way of its own; without them it fails.
    return _run(execution, host, None)


def _run(execution: Execution, host: Installed, named: frozenset[str] | None) -> Run:
    """Let the host run it by the provider's schema, or by what that says of these names."""
    events: list[Event] = []
    with execution.session(events.append) as session:
        started = yaml_host.started(execution, execution.project, host, session, named)
        with started as (server, loader):
            request = _request(execution, session.endpoint(), loader)
            try:
                error = _interpret(request, server.port, execution.deadline)
            except DeadlineError as late:
                return Run(events, Ended(_FAILED, "", late))
        # Nothing more comes from a host that has ended.
        output = server.output()
        made = session.monitor.names()
    if not go_sdk.knows_unknown(host.path):
        events.append({"unknown_lost": True})
    if error is not None:
        project = execution.project
        failure = yaml_failure.of_get(project, execution.folder, output) or yaml_failure.of(
            logged_errors(events), error, output, project.packages
        )
        return Run(events, Ended(_FAILED, output), failure)
    # The host answers when it has interpreted everything; nothing can end it early.
    events.append({"finished": True})
    passed_over = None
    if not logged_errors(events):
        passed_over = yaml_failure.passed_over(execution.project, execution.folder, made)
    is_watched = execution.is_watched and _is_self_contained(execution)
    return Run(events, Ended(0, output), passed_over, is_watched=is_watched)


def _is_self_contained(execution: Execution) -> bool:
    """Whether the program looks at nothing but its own text, which is in the project's folder.

    It has no clock, no variables and no files but by its functions.
    """
    root, options = execution.project.root, execution.project.runtime_options
    if execution.folder != root or options or execution.project.names_plugins:
        return False
    return all(map(_is_harmless, (p for p in root.iterdir() if p.suffix in yaml_host.SUFFIXES)))


def _is_harmless(file: Path) -> bool:
    try:
        text = file.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    functions = {name.lower() for name in _FUNCTION.findall(text)}
    return functions <= _HARMLESS and not _UNLIKE.search(text)


def _request(execution: Execution, monitor: str, loader: str) -> Any:
    context = execution.context
    request = language_pb2.RunRequest(
        project=context.project,
        stack=context.stack,
        organization=context.organization,
        pwd=context.folder,
        program=context.entry,
        config=context.config,
        configSecretKeys=context.secret_keys,
        parallel=PARALLEL,
        monitor_address=monitor,
        loader_target=loader,
        info=language_pb2.ProgramInfo(
            root_directory=context.root,
            program_directory=context.folder,
            entry_point=context.entry,
        ),
    )
    structs.into_struct(execution.typed_config, request.configPropertyMap)
    structs.into_struct(execution.project.runtime_options, request.info.options)
    return request


def _interpret(request: Any, port: int, deadline: Deadline) -> str | None:
    """Let the host run the program; what went wrong, empty where the host has only printed it."""
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        runtime = language_pb2_grpc.LanguageRuntimeStub(channel)
        try:
            response = runtime.Run(request, timeout=deadline.remaining())
        except grpc.RpcError as error:
            if not deadline.remaining():
                raise deadline.error("the program was running") from error
            return details_of(error)
    return str(response.error) if response.error or response.bail else None
