"""The component packages of the repository, whose code runs beside the program.

Each is a server of Pulumi's provider protocol, which is asked for components (`Construct`), for
their methods (`Call`) and for its schema, and never for resources. What a component registers
comes to the program's own monitor. Source: pulumi/pulumi `proto/pulumi/provider.proto`,
`sdk/go/common/resource/plugin/provider_plugin.go`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import grpc
from google.protobuf.message import Message
from pulumi.runtime.proto import alias_pb2, provider_pb2

from ....errors import RenderError
from .. import policy
from ..values import messages, structs, wire
from . import providing

if TYPE_CHECKING:
    from google.protobuf.struct_pb2 import Struct
    from pulumi.runtime.proto.resource_pb2 import RegisterResourceRequest, ResourceCallRequest

    from .plugins import Fields

_Answer = TypeVar("_Answer", bound=Message)


class Served(Protocol):
    """A package that runs."""

    @property
    def port(self) -> int:
        """Where it is served."""

    @property
    def output(self) -> Callable[[], str]:
        """The end of what it has written."""


class Program(Protocol):
    """What a package finds of the program that it is served to."""

    def endpoint(self) -> str:
        """The address of monitor and engine."""

    def schemas(self, others: Mapping[str, Any], /) -> dict[str, int]:
        """The packages by name, and the ports at which each tells its schema; `others`, too."""

    def loader(self, others: Mapping[str, Any], /) -> str:
        """The address that tells the schemas of all of these by the package's name."""

    def lose_unknown(self) -> None:
        """Note that the package's SDK takes values that stay unknown for none."""


@dataclass(frozen=True)
class Package:
    """A component package."""

    name: str
    place: str
    """The file that makes it one, relative to the project."""
    root: Path
    """Its folder."""
    serve: Callable[[Program], AbstractContextManager[Served]]
    """Starts it. Raises RenderError where it does not start."""
    prefixes: bool = False
    """Whether its host puts the name of a component before those of its children."""


class Packages:
    """The component packages of one program, each started on first use. Thread-safe."""

    def __init__(self, packages: Iterable[Package], program: Program) -> None:
        self._running = {package.name: _Running(package, program) for package in packages}

    def __contains__(self, name: object) -> bool:
        """Whether a package is one of these."""
        return name in self._running

    def __iter__(self) -> Iterator[str]:
        """The names of these packages."""
        return iter(self._running)

    def construct(
        self, request: RegisterResourceRequest, fields: Fields, called: str
    ) -> provider_pb2.ConstructResponse:
        """A component, which messages name as `called`; its package registers it. Raises
        BrokenError."""
        package = self._running[policy.package_of(request.type)]
        asked = _construct_request(request, fields, package.endpoint())
        made = package.ask("Construct", asked, provider_pb2.ConstructResponse, called)
        _as_values(made.state, made.stateDependencies, called)
        return made

    def call(self, request: ResourceCallRequest, fields: Fields) -> provider_pb2.CallResponse:
        """What a method of a component gives. Raises BrokenError."""
        package = self._running[policy.package_of(request.tok)]
        asked = provider_pb2.CallRequest(
            **fields,
            tok=request.tok,
            monitorEndpoint=package.endpoint(),
            accepts_output_values=True,
        )
        structs.into_struct(wire.as_outputs(structs.from_struct(request.args)), asked.args)
        for name, part in request.argDependencies.items():
            asked.argDependencies[name].urns.extend(part.urns)
        called = f"the method {request.tok}"
        answer = package.ask("Call", asked, provider_pb2.CallResponse, called)
        _as_values(getattr(answer, "return"), answer.returnDependencies, called)
        return answer

    def schema(self, name: str) -> str:
        """The schema of a package, as JSON. Raises BrokenError."""
        request = provider_pb2.GetSchemaRequest()
        answer = self._running[name].ask(
            "GetSchema", request, provider_pb2.GetSchemaResponse, "its schema"
        )
        return answer.schema

    def close(self) -> None:
        """End those that were started."""
        for running in self._running.values():
            running.close()


class _Running:
    """One package, and its process from the first question on."""

    def __init__(self, package: Package, program: Program) -> None:
        self.endpoint = program.endpoint
        self._program = program
        self._package = package
        self._lock = threading.Lock()
        self._open = ExitStack()
        self._started: tuple[grpc.Channel, Served] | None = None

    def ask(self, rpc: str, request: Message, answer: type[_Answer], called: str) -> _Answer:
        channel, provider = self._start()
        try:
            response = providing.call(channel, rpc, request, answer)
        except grpc.RpcError as error:
            # Imported here, as below: few programs have packages, and fewer such as fail.
            from . import package_failure

            output = provider.output()
            raise package_failure.of_call(self._package, called, error, output) from error
        if isinstance(response, messages.TooDeep):
            raise policy.refuse_value(f"what comes of {called}", structs.too_deep())
        return response

    def close(self) -> None:
        with self._lock:
            self._open.close()

    def _start(self) -> tuple[grpc.Channel, Served]:
        """The running package; concurrent first questions start one."""
        with self._lock:
            if self._started is None:
                try:
                    provider = self._open.enter_context(self._package.serve(self._program))
                except RenderError as error:
                    from . import package_failure

                    raise package_failure.of_start(self._package, error) from error
                channel = self._open.enter_context(providing.channel(provider.port))
                self._started = channel, provider
            return self._started


def _construct_request(
    request: RegisterResourceRequest, fields: Fields, endpoint: str
) -> provider_pb2.ConstructRequest:
    """What the engine asks a provider, for what an SDK asks the engine."""
    asked = provider_pb2.ConstructRequest(
        **fields,
        monitorEndpoint=endpoint,
        type=request.type,
        name=request.name,
        parent=request.parent,
        providers=request.providers,
        dependencies=request.dependencies,
        aliases=[*request.aliases, *(alias_pb2.Alias(urn=urn) for urn in request.aliasURNs)],
        protect=request.protect,
        retainOnDelete=request.retainOnDelete,
        deleteBeforeReplace=request.deleteBeforeReplace,
        deletedWith=request.deletedWith,
        replace_with=request.replace_with,
        ignoreChanges=request.ignoreChanges,
        replaceOnChanges=request.replaceOnChanges,
        accepts_output_values=True,
        additionalSecretOutputs=request.additionalSecretOutputs,
    )
    if request.HasField("replacement_trigger"):
        asked.replacement_trigger.CopyFrom(request.replacement_trigger)
    # An SDK takes a secret within an input for a secret input, unless it comes as an output.
    structs.into_struct(wire.as_outputs(structs.from_struct(request.object)), asked.inputs)
    for name, part in request.propertyDependencies.items():
        asked.inputDependencies[name].urns.extend(part.urns)
    return asked


def _as_values(told: Struct, depending: MutableMapping[str, Any], called: str) -> None:
    """Replace the outputs in what a package told by their values, as a program takes them.

    What they depend on may be said in them alone.
    """
    found = policy.read(told, f"what comes of {called}")
    for name, value in found.items():
        if urns := wire.dependencies(value):
            known = depending[name].urns
            known.extend(sorted(urns.difference(known)))
    told.Clear()
    structs.into_struct(wire.as_values(found), told)
