"""The transport for programs in processes of their own: gRPC on a loopback port."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import grpc
from google.protobuf.message import Message
from pulumi.runtime.proto import engine_pb2, provider_pb2, resource_pb2

from ..errors import MonitorError
from ..service.engine import Engine
from ..service.monitor import Monitor
from ..service.schemas import Loader, PackageSchema
from . import rpcs
from .rpcs import Request, Rpc

_LARGEST_MESSAGE = 400 * 1024 * 1024
"""What the SDKs themselves set; one ConfigMap may be 1 MiB, a list of objects more."""

_MOST_REQUESTS = 512
"""A component waits for its children, which come as requests, too: there must be room."""

_HOST = "127.0.0.1"
_MANY = 10_000_000
_LONG_SECONDS = 24 * 3600
_UNLIMITED = [
    ("grpc.max_receive_message_length", _LARGEST_MESSAGE),
    ("grpc.max_send_message_length", _LARGEST_MESSAGE),
    ("grpc.http2.ping_timeout_ms", _LONG_SECONDS * 1000),
    ("grpc.http2.settings_timeout", _LONG_SECONDS * 1000),
    ("grpc.server.max_pending_requests", _MANY),
    ("grpc.server.max_pending_requests_hard_limit", _MANY),
    ("grpc.server_max_unrequested_time_in_server", _LONG_SECONDS),
]
"""gRPC drops requests when a thousand wait, and SDKs send all of a program's at once. It also
ends a connection whose client answers no ping for a minute, as Node.js does while it computes.

Source: grpc/grpc `include/grpc/impl/channel_arg_names.h`.
"""


@contextmanager
def serve(monitor: object, engine: Engine) -> Iterator[str]:
    """Serve both on one free loopback port, whose `host:port` is given, until the end."""
    services = (
        _handlers(resource_pb2, "ResourceMonitor", monitor),
        _handlers(engine_pb2, "Engine", engine),
    )
    with _served(*services, workers=_MOST_REQUESTS) as port:
        yield f"127.0.0.1:{port}"


@contextmanager
def serve_schema(schema: PackageSchema) -> Iterator[int]:
    """Serve the schema of a package on one free loopback port, which is given, until the end."""
    with _served(_handlers(provider_pb2, "ResourceProvider", schema), workers=1) as port:
        yield port


@contextmanager
def serve_loader(loader: Loader) -> Iterator[str]:
    """Serve schemas by package on one free loopback port, whose `host:port` is given."""
    from pulumi.runtime.proto.codegen import loader_pb2

    with _served(_handlers(loader_pb2, "Loader", loader), workers=1) as port:
        yield f"{_HOST}:{port}"


@contextmanager
def _served(*services: "grpc.GenericRpcHandler[Message, Message]", workers: int) -> Iterator[int]:
    server = grpc.server(
        ThreadPoolExecutor(max_workers=workers, thread_name_prefix="monitor"), options=_UNLIMITED
    )
    server.add_generic_rpc_handlers(services)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield port
    finally:
        server.stop(grace=None)


class Elsewhere:
    """The monitor for processes and threads that a program starts: they may ask, but register
    nothing."""

    def __init__(self, monitor: Monitor) -> None:
        self._monitor = monitor
        self.RegisterResource = monitor.RegisterResourceElsewhere

    def __getattr__(self, rpc: str) -> Any:
        """Any other rpc, as the monitor answers it."""
        return getattr(self._monitor, rpc)


def _handlers(
    protocol: Any, name: str, service: object
) -> "grpc.GenericRpcHandler[Message, Message]":
    """A service of the protocol, answered by an object whose methods take and return messages."""
    full_name, known = rpcs.of(protocol, name)
    handlers = {
        rpc.name: grpc.unary_unary_rpc_method_handler(
            _handler(service, rpc),
            request_deserializer=rpc.parse,
            response_serializer=rpc.serialize,
        )
        for rpc in known
    }
    return grpc.method_handlers_generic_handler(full_name, handlers)


def _handler(service: object, rpc: Rpc) -> Callable[[Request, grpc.ServicerContext], Message]:
    def handle(request: Request, context: grpc.ServicerContext) -> Message:
        try:
            return rpcs.answer(service, rpc, request)
        except MonitorError as error:
            return context.abort(grpc.StatusCode[error.code], rpcs.details(error))

    return handle
