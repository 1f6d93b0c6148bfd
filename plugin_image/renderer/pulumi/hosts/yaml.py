"""Runs Pulumi YAML programs by their official language host, `pulumi-language-yaml`.

The host interprets the program in its own process, against a monitor in this one; it gets
the schema by which to read the program from the Kubernetes provider, which must be on PATH.
Source of the protocol: pulumi/pulumi `proto/pulumi/language.proto`.
"""

import re
from pathlib import Path
from typing import Any

import grpc
from pulumi.runtime.proto import language_pb2, language_pb2_grpc

from ...errors import DeadlineError
from ...plain import plain
from ...supervise import Deadline, Ended
from ..execution import PARALLEL, Execution
from ..installer import Installer
from ..monitor.errors import details_of
from ..monitor.recording import Event
from ..monitor.values import structs
from .host import Failure, Run, configuration_fix

_HOST = "pulumi-language-yaml"
_FAILED = 1
_OTHER_PROVIDER_FIX = (
    "keep resources of other providers in a stack of their own that `pulumi up` deploys, and pass "
    "its outputs as configuration"
)


def install(_root: Path, installer: Installer) -> Path:
    """The language host; a YAML program has no dependencies of its own.

    Raises DependencyError when the host is not installed.
    """
    return installer.tool(_HOST)


def run(execution: Execution, host: Path) -> Run:
    """Let the language host run the program. Raises ProgramError when the host does not start."""
    events: list[Event] = []
    with (
        execution.session(events.append) as session,
        execution.server([host, session.endpoint()]) as server,
    ):
        request = _request(execution, session.endpoint())
        try:
            error = _interpret(request, server.port, execution.deadline)
        except DeadlineError as late:
            return Run(events, Ended(_FAILED, "", late))
        output = _telling(server.output())
    if error is None:
        # The host answers when it has interpreted everything; nothing can end it early.
        return Run([*events, {"finished": True}], Ended(0, output))
    return Run(events, Ended(_FAILED, output), _failure(error, output))


def _telling(output: str) -> str:
    """What the host printed, without a remark for each look at a provider on PATH."""
    lines = plain(output).splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("warning: using pulumi-"))


def _request(execution: Execution, monitor: str) -> Any:
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


def _failure(error: str, output: str) -> Failure:
    """The first error among what the host said: `Error: …`, and `on Pulumi.yaml line 12`."""
    stripped = [line.strip() for line in [*plain(error).splitlines(), *output.splitlines()]]
    lines = [line for line in stripped if line and not line.startswith("warning:")]
    errors = [line.removeprefix("Error: ") for line in lines if line.startswith("Error: ")]
    place = re.search(r"^\s*on (\S+) line (\d+)", output, re.MULTILINE)
    text = next(iter([*errors, *lines]), "the host gave no reason")
    return Failure(
        text=text,
        place=f"{place[1]}:{place[2]}" if place else "",
        traceback=error,
        fix=_OTHER_PROVIDER_FIX if "no resource plugin" in text else configuration_fix(text),
    )
