"""The transport for a Python program in the same process: no sockets, and few threads.

The SDK takes any object with a stub's methods. It recognizes failures by `grpc.RpcError`,
which is all of gRPC that is used here. It makes each rpc in a thread of the event loop's
executor, so as not to block the loop. `InPlaceExecutor` saves the thread where the answer
is at hand: switching threads and waking the loop for each of thousands of resources takes
longer than all else.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import grpc
from google.protobuf.message import Message
from pulumi.runtime.proto import resource_pb2_grpc

from ..errors import MonitorError
from .dispatch import dispatch


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


class _MustWait(BaseException):
    """The answer is not at hand. Not an Exception, for the SDK has handlers for those."""


_place = threading.local()


class InPlaceExecutor(ThreadPoolExecutor):
    """Makes rpcs at once where their answers are at hand, and does all else in threads."""

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """As any executor. What a program itself submits may block, so it gets a thread."""
        if not str(getattr(function, "__module__", "")).startswith("pulumi.runtime."):
            return super().submit(function, *args, **kwargs)
        future: Future[Any] = Future()
        _place.is_the_loop = True
        try:
            future.set_result(function(*args, **kwargs))
        except _MustWait:
            return super().submit(function, *args, **kwargs)
        except Exception as error:  # noqa: BLE001 - the caller's, as from a thread
            future.set_exception(error)
        finally:
            _place.is_the_loop = False
        return future


def _never(_rpc: str, _request: Message) -> bool:
    return False


class DirectStub(resource_pb2_grpc.ResourceMonitorStub):
    """Stands in for a gRPC stub: each rpc is a call of the service's method of that name.

    SDKs offer callbacks only to an instance of the stub's class.
    """

    def __init__(self, service: object, *, waits: Callable[[str, Message], bool] = _never) -> None:
        """`waits` tells of an rpc and its request whether the service waits for others."""
        self._service = service
        self._waits = waits

    def __getattr__(self, rpc: str) -> Callable[..., Message]:
        """The rpc as a function of its request; one that the service lacks is UNIMPLEMENTED."""

        def call(request: Message, *_arguments: object, **_options: object) -> Message:
            if getattr(_place, "is_the_loop", False) and self._waits(rpc, request):
                raise _MustWait
            try:
                return dispatch(self._service, rpc, request)
            except MonitorError as error:
                raise _DirectError(error.code, str(error)) from error

        return call
