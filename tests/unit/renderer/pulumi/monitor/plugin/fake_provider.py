"""A Kubernetes provider that only says what it was told; started as a program by its tests."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
from google.protobuf import empty_pb2
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc

from plugin_image.renderer.pulumi.monitor.values import structs


class FakeProvider(provider_pb2_grpc.ResourceProviderServicer):
    """Answers functions with its own configuration and their arguments."""

    def __init__(self, engine: str) -> None:
        self._told: dict[str, Any] = {"engine": engine, "checked": []}

    def Configure(self, request: Any, context: Any) -> Any:  # noqa: N802
        self._told["variables"] = dict(request.variables)
        return provider_pb2.ConfigureResponse()

    def Check(self, request: Any, context: Any) -> Any:  # noqa: N802
        self._told["checked"].append(structs.from_struct(request.news))
        return provider_pb2.CheckResponse()

    def Invoke(self, request: Any, context: Any) -> Any:  # noqa: N802
        arguments = structs.from_struct(request.args)
        if "fail" in arguments:
            context.abort(grpc.StatusCode.UNKNOWN, "the chart is broken")
        response = provider_pb2.InvokeResponse()
        answer = {"told": json.dumps(self._told), "arguments": arguments}
        structs.into_struct(answer, getattr(response, "return"))
        return response

    def Construct(self, request: Any, context: Any) -> Any:  # noqa: N802
        if "fail" in structs.from_struct(request.inputs):
            details = (
                'marshaling properties: awaiting input property "resources": the chart is broken'
            )
            context.abort(grpc.StatusCode.UNKNOWN, details)
        response = provider_pb2.ConstructResponse(urn=f"urn:{request.type}::{request.name}")
        structs.into_struct({"monitor": request.monitorEndpoint}, response.state)
        return response

    def Cancel(self, request: Any, context: Any) -> Any:  # noqa: N802
        return empty_pb2.Empty()


def main() -> None:
    server = grpc.server(ThreadPoolExecutor(4))
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(FakeProvider(sys.argv[1]), server)
    print(server.add_insecure_port("127.0.0.1:0"), flush=True)  # noqa: T201 - the protocol
    server.start()
    server.wait_for_termination()


if __name__ == "__main__":
    main()
