"""The schema of the Kubernetes provider, by which the host of YAML programs reads them.

The host would start the provider for it in each render, which takes longer than all the rest. But
a schema is a constant of the provider's file. So the first render of a warm server has a provider
tell it that knows nothing of a run, and leaves it in the cache for those that follow, as a whole
and the part that a program needs: to read the whole takes the host as long as all the rest. Nothing
else is shared. A program could write to the cache, too: what counts has a seal that only these
renders can make.

What a provider makes of parameters, as of definitions of kinds that `pulumi package add` has read,
is the program's own: it is asked of a provider of this run. Source: pulumi/pulumi
`pkg/codegen/schema/loader.go` (loadPluginSchemaBytes), pulumi-kubernetes
`provider/pkg/provider/provider_parameterize.go`.
"""

import hashlib
import hmac
import os
import shutil
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

import grpc
from google.protobuf import empty_pb2
from google.protobuf.message import Message
from pulumi.runtime.proto import plugin_pb2, provider_pb2

from ... import launch
from ...cache import Cache
from ...launch import Start, StartError
from ..execution import Execution
from ..monitor.errors import MonitorError, details_of
from ..monitor.plugin import providing
from ..monitor.plugin.program import PROGRAM
from ..monitor.service.schemas import PackageSchema
from . import schema_part

_PACKAGE: Final = "kubernetes"
_KIND: Final = "schema"
_EDGE_BYTES: Final = 1 << 16
"""How much of a provider's file, at both ends, is read to know it: Go writes an identifier of what
a program is made of near its beginning."""

_Answer = TypeVar("_Answer", bound=Message)


def served(
    execution: Execution, open_: ExitStack, named: Collection[str] | None
) -> dict[str, PackageSchema]:
    """What tells the provider's schema, by the package's name, until `open_` is closed.

    Of resources and functions it has those that are named; all for None. Nothing without a warm
    server; nor where there is no provider, or none that tells it, of which the host says what is
    wrong.
    """
    program = shutil.which(PROGRAM, path=execution.env.get("PATH"))
    if execution.kept is None or program is None:
        return {}
    try:
        known = _known(execution, execution.kept.sealing_key, program, named)
    except (OSError, ValueError, grpc.RpcError):
        return {}
    return {_PACKAGE: _Schema(*known, execution, program, open_)}


def of_provider(execution: Execution) -> dict[str, PackageSchema]:
    """What tells the provider's schema, by the package's name: the provider itself, once asked."""
    program = shutil.which(PROGRAM, path=execution.env.get("PATH"))
    if program is None:
        return {}
    return {_PACKAGE: PackageSchema(lambda: _told(execution, program))}


def _told(execution: Execution, program: str) -> str:
    with _as_monitor_errors():
        return _asked(execution, program).schema


@contextmanager
def _as_monitor_errors() -> Iterator[None]:
    """Tell a host what is wrong with a provider that does not start, or fails."""
    try:
        yield
    except StartError as error:
        raise MonitorError("UNKNOWN", str(error)) from error
    except grpc.RpcError as error:
        raise MonitorError("UNKNOWN", details_of(error)) from error


class _Schema(PackageSchema):
    """Answers as the provider does, from what is known; with parameters the provider answers."""

    def __init__(
        self, version: str, schema: str, execution: Execution, program: str, open_: ExitStack
    ) -> None:
        super().__init__(lambda: schema, version)
        self._execution = execution
        self._program = program
        self._open = open_
        self._engine: list[str] = []
        self._provider: grpc.Channel | None = None

    def Attach(self, request: plugin_pb2.PluginAttach) -> empty_pb2.Empty:  # noqa: N802
        """Any host may; the provider finds its engine there."""
        self._engine = [request.address]
        return super().Attach(request)

    def GetSchema(  # noqa: N802
        self, request: provider_pb2.GetSchemaRequest
    ) -> provider_pb2.GetSchemaResponse:
        """That of the package, or of one that the provider made of parameters."""
        if request.subpackage_name:
            return self._ask("GetSchema", request, provider_pb2.GetSchemaResponse)
        return super().GetSchema(request)

    def Parameterize(  # noqa: N802
        self, request: provider_pb2.ParameterizeRequest
    ) -> provider_pb2.ParameterizeResponse:
        """What the provider makes of parameters."""
        return self._ask("Parameterize", request, provider_pb2.ParameterizeResponse)

    def _ask(self, rpc: str, request: Message, answer: type[_Answer]) -> _Answer:
        with _as_monitor_errors():
            if self._provider is None:
                command = [self._program, *self._engine]
                start = Start(
                    command, self._execution.folder, self._execution.env, discard_stderr=True
                )
                self._provider = self._open.enter_context(_running(self._execution, start))
            return _call(self._execution, self._provider, rpc, request, answer)


def _identity(program: str) -> str:
    """What tells a provider from others, whose files are too large to be read as a whole."""
    with Path(program).open("rb") as file:
        found = os.fstat(file.fileno())
        beginning = file.read(_EDGE_BYTES)
        file.seek(max(0, found.st_size - _EDGE_BYTES))
        told = [str(Path(program).resolve()), found.st_size, found.st_mtime_ns]
        digest = hashlib.sha256(repr(told).encode() + beginning + file.read())
    return digest.hexdigest()[:32]


class _Known(NamedTuple):
    """What a provider tells."""

    version: str
    schema: str

    def part(self, named: Collection[str]) -> "_Known":
        """What it tells of these resources and functions."""
        return self._replace(schema=schema_part.part(self.schema, named))


class _Shelf(NamedTuple):
    """Where the renders of one server leave what a provider told."""

    cache: Cache
    name: Path
    key: bytes

    def once(self, told: Callable[[], _Known]) -> _Known:
        """What one of them has left, or else what is told now."""
        known = self.found()
        if known is None:
            known = told()
            self.leave(known)
        return known

    def found(self) -> _Known | None:
        """What one of them has left, unless it is damaged or somebody else's."""
        file = self.cache.kept(self.name)
        if file is None:
            return None
        _, _, left = file.read_bytes().partition(b"\n")
        seal, _, told = left.partition(b"\n")
        if not hmac.compare_digest(seal, self._seal(told)):
            return None
        version, _, schema = told.decode().partition("\n")
        return _Known(version, schema)

    def leave(self, known: _Known) -> None:
        """Leave it for others."""
        told = "\n".join(known).encode()
        self.cache.keep(self.name, self._seal(told) + b"\n" + told)

    def _seal(self, told: bytes) -> bytes:
        """Of what was told, and by which provider."""
        seal = hashlib.blake2b(f"{self.name}\n".encode(), key=self.key)
        seal.update(told)
        return seal.hexdigest().encode()


def _known(execution: Execution, key: bytes, program: str, named: Collection[str] | None) -> _Known:
    """The schema, or a part of it. Raises OSError, ValueError and grpc.RpcError."""
    identity = _identity(program)
    whole = _Shelf(execution.cache, Path(_KIND, identity), key)
    asked = partial(whole.once, partial(_asked, execution, program))
    if named is None:
        return asked()
    names = hashlib.sha256("\n".join(sorted(named)).encode()).hexdigest()[:32]
    of_names = _Shelf(execution.cache, Path(_KIND, f"{identity}-{names}"), key)
    return of_names.once(lambda: asked().part(named))


def _asked(execution: Execution, program: str) -> _Known:
    """What the provider tells. Raises OSError and grpc.RpcError."""
    scratch = str(execution.scratch)
    env = {"PATH": execution.env.get("PATH", ""), "HOME": scratch, "TMPDIR": scratch}
    start = Start([program], execution.scratch, env, discard_stderr=True)
    with _running(execution, start) as provider:
        ask = partial(_call, execution, provider)
        version = ask("GetPluginInfo", empty_pb2.Empty(), plugin_pb2.PluginInfo).version
        request = provider_pb2.GetSchemaRequest()
        schema = ask("GetSchema", request, provider_pb2.GetSchemaResponse).schema
    return _Known(version, schema)


@contextmanager
def _running(execution: Execution, start: Start) -> Iterator[grpc.Channel]:
    """A connection to a provider that runs as long as this context. Raises OSError."""
    remaining = execution.deadline.remaining
    serving = launch.serving(start, launcher=execution.launcher, remaining=remaining)
    with serving as port, providing.channel(port) as channel:
        yield channel


def _call(
    execution: Execution, channel: grpc.Channel, rpc: str, request: Message, answer: type[_Answer]
) -> _Answer:
    response: _Answer = channel.unary_unary(
        f"/pulumirpc.ResourceProvider/{rpc}",
        request_serializer=type(request).SerializeToString,
        response_deserializer=answer.FromString,
    )(request, timeout=execution.deadline.remaining())
    return response
