"""Serves the components of a package in YAML, by a language host of the package's own.

What that host would get wrong without a word is refused before. Source: pulumi/pulumi-yaml
`pkg/server/server.go` (RunPlugin), `pkg/pulumiyaml/run.go` (LoadPluginTemplate, ensureSetup) and
`sort.go`; pulumi/pulumi `sdk/go/common/resource/plugin/plugin.go`, ExecPlugin.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import grpc
from pulumi.runtime.proto import language_pb2, language_pb2_grpc

from ... import files
from ...errors import DependencyError, ProgramError, ProjectError
from ...plain import plain
from ...supervise import Server
from ..execution import Execution
from ..monitor.errors import details_of
from ..project import Project, read_document
from . import go_sdk, yaml_failure, yaml_host
from .host import Installed

if TYPE_CHECKING:
    from ..monitor.plugin.packages import Program

_EXPRESSION: Final = re.compile(r"(?<!\$)\$\{")
"""Where a text is more than a constant."""
_EMPTY: Final = re.compile(r"(?<!\$)\$\{\s*(pulumi\s*(?:\.|\[\W*)rootDirectory\b)")
"""What the host knows in a program, and nothing of in a component."""
_OLDEST: Final = (3, 247)
"""The SDK of version 1.37 of the host, which comes with Pulumi 3.249."""


@contextmanager
def serve(
    execution: Execution, package: Project, host: Installed, program: "Program"
) -> Iterator[Server]:
    """See `ComponentHost`. Raises ProgramError for a package that the host does not take,
    ProjectError for one of which it would lose something, and DependencyError for an older host.
    """
    require_complete(package)
    _require_host(host.path)
    if not go_sdk.knows_unknown(host.path):
        program.lose_unknown()
    root = str(package.root)
    info = language_pb2.ProgramInfo(root_directory=root, program_directory=root, entry_point=".")
    with (
        yaml_host.started(execution, package, host, program, None) as (server, loader),
        grpc.insecure_channel(f"127.0.0.1:{server.port}") as channel,
    ):
        request = language_pb2.RunPluginRequest(
            pwd=str(execution.folder),
            args=[program.endpoint()],
            kind="resource",
            info=info,
            loader_target=loader,
        )
        stub = language_pb2_grpc.LanguageRuntimeStub(channel)
        said = stub.RunPlugin(request, timeout=execution.deadline.remaining())
        yield Server(_port(said, server.output), server.output)


def _require_host(host: Path) -> None:
    """Raise DependencyError for a host that calls the children of two components alike, leaves more
    empty in components, and takes none among their resources.
    """
    if go_sdk.built_with(host) < _OLDEST:
        raise DependencyError(
            f"components in YAML take Pulumi's language host of 1.37 or later, and {host} is older",
            fix="put the `pulumi-language-yaml` of Pulumi 3.249 or later first on PATH",
        )


def _port(said: Iterable[language_pb2.RunPluginResponse], written: Callable[[], str]) -> int:
    """What the package says first of all, as a provider does; the host has `written` of crashes."""
    output = remarks = b""
    try:
        for part in said:
            output += part.stdout
            remarks += part.stderr
            if output.endswith(b"\n"):
                return int(output)
    except grpc.RpcError as error:
        reason = details_of(error)
    else:
        reason = "it ended"
    told = "\n".join(filter(None, [plain(remarks.decode(errors="replace")), plain(written())]))
    failure = yaml_failure.of([], reason, told, {})
    raise ProgramError(failure.text, details="\n".join(filter(None, [told, failure.text])))


def require_complete(package: Project) -> None:
    """Raise ProjectError for what the host would leave out or leave empty in components."""
    if not package.file.endswith(".yaml"):
        raise ProjectError(
            f"{package.file} is not what Pulumi's language host reads",
            fix="call it PulumiPlugin.yaml",
        )
    named = False
    for file in sorted(package.root.glob("*.yaml")):
        document = read_document(file, package.repository)
        named = named or bool(yaml_failure.field(document, "name"))
        _require_packages(document, file.name)
        _require_defaults(document, file.name)
        if empty := _EMPTY.search(files.text(file, package.repository)):
            raise ProjectError(
                f"{file.name} has `{empty[1]}`, which Pulumi's language host leaves empty in "
                "components",
                fix="make it an input of the component, which the program gives",
            )
    if not named:
        raise ProjectError(f"{package.file} has no `name`", fix=f"add `name: {package.name}`")


def _require_packages(document: Mapping[Any, Any], file: str) -> None:
    """Raise ProjectError for a type without a package, at which the host reads no further."""
    for component, declared in _entries(document, "components"):
        for key, resource in _entries(declared, "resources"):
            type_ = yaml_failure.field(resource, "type") if isinstance(resource, dict) else None
            if isinstance(type_, str) and ":" not in type_:
                raise ProjectError(
                    f"{file} has the type {type_!r} for the resource {key!r} of the component "
                    f"{component!r}, at which Pulumi's language host stops without a word",
                    fix="name its package, too, as in `kubernetes:core/v1:ConfigMap`",
                )


def _require_defaults(document: Mapping[Any, Any], file: str) -> None:
    """Raise ProjectError for the default of an input, at which the host crashes. Source:
    `pkg/pulumiyaml/ast/template.go` (schemaDefaultValue).
    """
    for component, declared in _entries(document, "components"):
        for name, wanted in _entries(declared, "inputs"):
            default = yaml_failure.field(wanted, "default") if isinstance(wanted, dict) else None
            if kind := _no_constant(default):
                raise ProjectError(
                    f"{file} has {kind} as default of the input {name!r} of the component "
                    f"{component!r}, at which Pulumi's language host crashes",
                    fix="leave it out, so that who uses the component gives the input",
                )


def _no_constant(default: Any) -> str:
    """What a default is that is no constant; nothing for one that is."""
    if isinstance(default, list):
        return "a list"
    if isinstance(default, dict):
        return "a mapping"
    is_expression = isinstance(default, str) and _EXPRESSION.search(default)
    return "an expression" if is_expression else ""


def _entries(node: Any, name: str) -> Iterator[tuple[Any, Any]]:
    """What a node has in the mapping of that name, if it has one."""
    found = yaml_failure.field(node, name) if isinstance(node, dict) else None
    yield from found.items() if isinstance(found, dict) else ()
