"""A host that starts no provider for a schema is told it by the package's name."""

import grpc
import pytest
from pulumi.runtime.proto.codegen import loader_pb2

from plugin_image.renderer.pulumi.monitor.service.schemas import Loader, PackageSchema
from plugin_image.renderer.pulumi.monitor.transport.server import serve_loader


def _told(**request: object) -> str:
    loader = Loader({"web": PackageSchema(lambda: '{"name": "web"}')})
    with serve_loader(loader) as address, grpc.insecure_channel(address) as channel:
        asked = loader_pb2.GetSchemaRequest(**request)  # type: ignore[arg-type]
        call = channel.unary_unary(
            "/codegen.Loader/GetSchema",
            request_serializer=loader_pb2.GetSchemaRequest.SerializeToString,
            response_deserializer=loader_pb2.GetSchemaResponse.FromString,
        )
        return str(call(asked, timeout=60).schema.decode())


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        ({"package": "aws"}, grpc.StatusCode.NOT_FOUND),
        (
            {"package": "web", "parameterization": loader_pb2.Parameterization(name="more")},
            grpc.StatusCode.UNIMPLEMENTED,
        ),
    ],
)
def test_of_any_other_it_is_told_that_it_is_not(
    request_: dict[str, object], status: grpc.StatusCode
) -> None:
    with pytest.raises(grpc.RpcError) as refused:
        _told(**request_)
    assert refused.value.code() is status
