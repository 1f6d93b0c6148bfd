"""Runs Pulumi YAML programs by their official language host, `pulumi-language-yaml`.

The host interprets the program in its own process, against a monitor in this one; it gets
the schema that it reads the program by from the Kubernetes provider, which must be on PATH.
Source of the protocol: pulumi/pulumi `proto/pulumi/language.proto`.
"""

import re
from pathlib import Path
from typing import Any

import grpc
from pulumi.runtime.proto import language_pb2, language_pb2_grpc

from plugin_image.renderer import supervise
from plugin_image.renderer.errors import DeadlineError
from plugin_image.renderer.plain import plain
from plugin_image.renderer.pulumi import dependencies
from plugin_image.renderer.pulumi.dependencies import Cache
from plugin_image.renderer.pulumi.monitor.errors import details_of
from plugin_image.renderer.pulumi.monitor.recording import Event
from plugin_image.renderer.pulumi.monitor.session import Session
from plugin_image.renderer.pulumi.monitor.values import structs
from plugin_image.renderer.pulumi.program import Failure, Program, Run, configuration_fix
from plugin_image.renderer.supervise import Deadline, Ended

_HOST = "pulumi-language-yaml"
_PARALLEL = 16
_FAILED = 1
_OTHER_PROVIDER_FIX = (
    "keep resources of other providers in a stack of their own that `pulumi up` deploys, and pass "
    "its outputs as configuration"
)


def install(root: Path, _cache: Cache) -> Path:
    """The language host; a YAML program has no dependencies of its own.

    Raises DependencyError when the host is not installed.
    """
    return dependencies.tool(_HOST)


def run(program: Program, installed: Path, deadline: Deadline) -> Run:
    """Run the program. Raises ProjectError when `main` names nothing."""
    events: list[Event] = []
    with (
        Session(
            program.job(), events.append, env=program.env, read_stack=program.read_stack
        ) as session,
        supervise.server(
            [installed, session.endpoint()], cwd=program.project.root, env=program.env
        ) as host,
    ):
        request = _request(program, session.endpoint())
        try:
            error = _interpret(request, host.port, deadline)
        except DeadlineError as late:
            return Run(events, Ended(_FAILED, "", late))
        output = _telling(host.output())
    if error is None:
        # The host answers when it has interpreted everything; nothing can end it early.
        return Run([*events, {"finished": True}], Ended(0, output))
    return Run(events, Ended(_FAILED, output), _failure(error, output))


def _telling(output: str) -> str:
    """What the host printed, without a remark for each look at a provider on PATH."""
    lines = plain(output).splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("warning: using pulumi-"))


def _request(program: Program, monitor: str) -> Any:
    folder, entry = program.entry()
    request = language_pb2.RunRequest(
        project=program.project.name,
        stack=program.stack.name,
        organization=program.stack.organization,
        pwd=str(folder),
        program=entry,
        config=program.configuration.values,
        configSecretKeys=program.configuration.secret_keys,
        parallel=_PARALLEL,
        monitor_address=monitor,
        info=language_pb2.ProgramInfo(
            root_directory=str(program.project.root),
            program_directory=str(folder),
            entry_point=entry,
        ),
    )
    structs.into_struct(program.configuration.typed, request.configPropertyMap)
    structs.into_struct(program.project.runtime_options, request.info.options)
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
