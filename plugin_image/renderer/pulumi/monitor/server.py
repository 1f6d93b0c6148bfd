"""The door for programs in processes of their own: gRPC on a loopback port."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, cast

import grpc
from pulumi.runtime.proto import engine_pb2_grpc, resource_pb2_grpc

from plugin_image.renderer.pulumi.monitor.core import Monitor
from plugin_image.renderer.pulumi.monitor.dispatch import dispatch
from plugin_image.renderer.pulumi.monitor.engine import Engine
from plugin_image.renderer.pulumi.monitor.errors import MonitorError

_LARGEST_MESSAGE = 400 * 1024 * 1024
"""What the SDKs themselves set; one ConfigMap may be 1 MiB, a list of objects more."""

_MOST_REQUESTS = 512
"""A component waits for its children, which come as requests, too: there must be room."""

_MANY = 10_000_000
_LONG_SECONDS = 24 * 3600
_UNLIMITED = [
    ("grpc.max_receive_message_length", _LARGEST_MESSAGE),
    ("grpc.max_send_message_length", _LARGEST_MESSAGE),
    ("grpc.server.max_pending_requests", _MANY),
    ("grpc.server.max_pending_requests_hard_limit", _MANY),
    ("grpc.server_max_unrequested_time_in_server", _LONG_SECONDS),
]
"""gRPC drops requests when a thousand wait, and SDKs send all of a program's at once.

Source: grpc/grpc `include/grpc/impl/channel_arg_names.h`.
"""


@contextmanager
def serve(monitor: Monitor, engine: Engine) -> Iterator[str]:
    """Serve both on one free loopback port, whose `host:port` is given, until the end."""
    server = grpc.server(
        ThreadPoolExecutor(max_workers=_MOST_REQUESTS, thread_name_prefix="monitor"),
        options=_UNLIMITED,
    )
    resource_pb2_grpc.add_ResourceMonitorServicer_to_server(cast(Any, _Servicer(monitor)), server)
    engine_pb2_grpc.add_EngineServicer_to_server(cast(Any, _Servicer(engine)), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.stop(grace=None)


class _Servicer:
    """A gRPC servicer over a service whose methods take and return messages."""

    def __init__(self, service: object) -> None:
        self._service = service

    def __getattr__(self, rpc: str) -> Callable[[Any, grpc.ServicerContext], Any]:
        def handle(request: Any, context: grpc.ServicerContext) -> Any:
            try:
                return dispatch(self._service, rpc, request)
            except MonitorError as error:
                return context.abort(grpc.StatusCode[error.code], str(error))

        return handle
