"""The floor's monitor: it gives every resource back as it was sent, with a name.

    python -m benchmarks.echo_monitor

It writes its port as its first line and serves until it is ended. It is started before
anything is measured, so that the floor is the program and its SDK alone.
"""

import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import grpc
from google.protobuf import empty_pb2
from pulumi.runtime.proto import engine_pb2, engine_pb2_grpc, resource_pb2, resource_pb2_grpc

_THREADS = 16


class _Monitor:
    """A `pulumirpc.ResourceMonitor` that knows the requests of programs without functions."""

    def SupportsFeature(self, _request: Any, _context: Any) -> Any:  # noqa: N802
        return resource_pb2.SupportsFeatureResponse(hasSupport=True)

    def RegisterPackage(self, _request: Any, _context: Any) -> Any:  # noqa: N802
        return resource_pb2.RegisterPackageResponse(ref="package")

    def RegisterResource(self, request: Any, _context: Any) -> Any:  # noqa: N802
        response = resource_pb2.RegisterResourceResponse(
            urn=f"urn:pulumi:dev::echo::{request.type}::{request.name}",
            id=request.name,
            object=request.object,
        )
        if request.custom:
            # The one value that no echo has, and that the guestbooks export.
            metadata = response.object.fields["metadata"].struct_value
            metadata.fields["name"].string_value = request.name
        return response

    def __getattr__(self, _rpc: str) -> Any:
        """Every other rpc, most of which answer with nothing."""
        return _nothing if _rpc in _ANSWERED_WITH_NOTHING else _unimplemented


class _Engine:
    """A `pulumirpc.Engine` that passes errors on and keeps no log."""

    def Log(self, request: Any, _context: Any) -> Any:  # noqa: N802
        if request.severity == engine_pb2.ERROR:
            print(request.message, file=sys.stderr)
        return empty_pb2.Empty()

    def SetRootResource(self, _request: Any, _context: Any) -> Any:  # noqa: N802
        return engine_pb2.SetRootResourceResponse()

    def GetRootResource(self, _request: Any, _context: Any) -> Any:  # noqa: N802
        return engine_pb2.GetRootResourceResponse()

    def __getattr__(self, _rpc: str) -> Any:
        return _unimplemented


_ANSWERED_WITH_NOTHING = frozenset({"RegisterResourceOutputs", "SignalAndWaitForShutdown"})


def _nothing(_request: Any, _context: Any) -> Any:
    return empty_pb2.Empty()


def _unimplemented(_request: Any, context: Any) -> Any:
    context.abort(grpc.StatusCode.UNIMPLEMENTED, "the echo monitor does not answer this")


def main() -> None:
    """Serve on a free loopback port until the process is ended."""
    server = grpc.server(ThreadPoolExecutor(_THREADS))
    resource_pb2_grpc.add_ResourceMonitorServicer_to_server(cast(Any, _Monitor()), server)
    engine_pb2_grpc.add_EngineServicer_to_server(cast(Any, _Engine()), server)
    print(server.add_insecure_port("127.0.0.1:0"), flush=True)
    server.start()
    server.wait_for_termination()


if __name__ == "__main__":
    main()
