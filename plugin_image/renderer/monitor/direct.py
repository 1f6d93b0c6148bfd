"""The door for a Python program in the same process: no sockets, no threads.

The SDK takes any object with a stub's methods. It tells failures by `grpc.RpcError`,
which is all of gRPC that is used here.
"""

from collections.abc import Callable
from typing import Any

import grpc
from pulumi.runtime.proto import resource_pb2_grpc

from plugin_image.renderer.monitor.dispatch import dispatch
from plugin_image.renderer.monitor.errors import MonitorError


class _DirectError(grpc.RpcError):
    """A failed request, as SDKs expect to be told of it."""

    def __init__(self, code: str, details: str) -> None:
        super().__init__(details)
        self._code = code
        self._details = details

    def code(self) -> grpc.StatusCode:
        return grpc.StatusCode[self._code]

    def details(self) -> str:
        return self._details


class DirectStub(resource_pb2_grpc.ResourceMonitorStub):
    """Stands in for a gRPC stub: each rpc is a call of the service's method of that name.

    SDKs offer callbacks only to what is their monitor's stub by type.
    """

    def __init__(self, service: object) -> None:
        self._service = service

    def __getattr__(self, rpc: str) -> Callable[..., Any]:
        """The rpc as a function of its request; one that the service lacks is UNIMPLEMENTED."""

        def call(request: Any, *_arguments: Any, **_options: Any) -> Any:
            try:
                return dispatch(self._service, rpc, request)
            except MonitorError as error:
                raise _DirectError(error.code, str(error)) from error

        return call
