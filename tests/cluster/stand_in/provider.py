"""The provider's side of Pulumi's protocol (pulumi/pulumi `proto/pulumi/provider.proto`)."""

from typing import Any

import grpc
from google.protobuf import empty_pb2, json_format, struct_pb2
from pulumi.runtime.proto import plugin_pb2, provider_pb2, provider_pb2_grpc

from tests.cluster.stand_in.image import ImageError, ImageInputs, build_and_push

VERSION = "0.0.22"
_IMAGE = "docker-build:index:Image"


class Provider(provider_pb2_grpc.ResourceProviderServicer):
    """Creates and replaces images. Deleting one leaves it in its registry, as Docker does."""

    def GetPluginInfo(self, request: Any, context: Any) -> Any:  # noqa: N802
        return plugin_pb2.PluginInfo(version=VERSION)

    def CheckConfig(self, request: Any, context: Any) -> Any:  # noqa: N802
        return provider_pb2.CheckResponse(inputs=request.news)

    def DiffConfig(self, request: Any, context: Any) -> Any:  # noqa: N802
        return provider_pb2.DiffResponse(changes=provider_pb2.DiffResponse.DIFF_NONE)

    def Configure(self, request: Any, context: Any) -> Any:  # noqa: N802
        # The engine unwraps secrets, and marks outputs by the inputs of the same name.
        return provider_pb2.ConfigureResponse(acceptSecrets=False, supportsPreview=True)

    def Check(self, request: Any, context: Any) -> Any:  # noqa: N802
        if request.type != _IMAGE:
            context.abort(grpc.StatusCode.UNIMPLEMENTED, f"the stand-in knows no {request.type}")
        return provider_pb2.CheckResponse(inputs=request.news)

    def Diff(self, request: Any, context: Any) -> Any:  # noqa: N802
        old, new = (_compared(side) for side in (request.old_inputs, request.news))
        changed = sorted(name for name in old.keys() | new if old.get(name) != new.get(name))
        some = provider_pb2.DiffResponse.DIFF_SOME
        none = provider_pb2.DiffResponse.DIFF_NONE
        return provider_pb2.DiffResponse(changes=some if changed else none, diffs=changed)

    def Create(self, request: Any, context: Any) -> Any:  # noqa: N802
        outputs = _applied(request.properties, context, preview=request.preview)
        identifier = outputs.get("digest") or "preview"
        return provider_pb2.CreateResponse(id=identifier, properties=_struct(outputs))

    def Update(self, request: Any, context: Any) -> Any:  # noqa: N802
        outputs = _applied(request.news, context, preview=request.preview)
        return provider_pb2.UpdateResponse(properties=_struct(outputs))

    def Delete(self, request: Any, context: Any) -> Any:  # noqa: N802
        return empty_pb2.Empty()

    def Cancel(self, request: Any, context: Any) -> Any:  # noqa: N802
        return empty_pb2.Empty()


def _applied(properties: Any, context: Any, *, preview: bool) -> dict[str, Any]:
    """Return the outputs: the inputs, and what is known of the pushed image."""
    inputs = json_format.MessageToDict(properties)
    if preview:
        return inputs
    try:
        image = ImageInputs.read(inputs)
        digest = build_and_push(image)
    except ImageError as error:
        context.abort(grpc.StatusCode.UNKNOWN, str(error))
        raise
    return {**inputs, "digest": digest, "ref": f"{image.tags[0]}@{digest}"}


def _compared(properties: Any) -> dict[str, Any]:
    """Return the inputs that decide on a new build: how to log in does not."""
    inputs = json_format.MessageToDict(properties)
    return {name: value for name, value in inputs.items() if name != "registries"}


def _struct(values: dict[str, Any]) -> struct_pb2.Struct:
    return json_format.ParseDict(values, struct_pb2.Struct())
