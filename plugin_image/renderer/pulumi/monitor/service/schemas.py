"""Tells the schema of a package, as its provider would that a language host starts.

The host of YAML programs reads them by it. It attaches to a provider that runs already where it is
told of one, which not every SDK's provider allows; and the package need not run before it is asked
for. Source: pulumi/pulumi `sdk/go/common/resource/plugin/provider_plugin.go` (NewProvider).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from google.protobuf import empty_pb2
from pulumi.runtime.proto import plugin_pb2, provider_pb2

from ..errors import MonitorError

if TYPE_CHECKING:
    from google.protobuf.empty_pb2 import Empty
    from pulumi.runtime.proto.codegen import loader_pb2
    from pulumi.runtime.proto.plugin_pb2 import PluginAttach, PluginInfo
    from pulumi.runtime.proto.provider_pb2 import (
        GetSchemaRequest,
        GetSchemaResponse,
        ParameterizeRequest,
        ParameterizeResponse,
    )


class PackageSchema:
    """Answers what is asked of a provider before it has anything to make."""

    def __init__(self, schema: Callable[[], str], version: str = "0.0.0") -> None:
        """`schema` gives it as JSON; it is called when a host asks for it.

        A folder has no version.
        """
        self._schema = schema
        self._version = version

    def Attach(self, _request: PluginAttach) -> Empty:  # noqa: N802 - the protocol's names
        """Any host may."""
        return empty_pb2.Empty()

    def GetPluginInfo(self, _request: Empty) -> PluginInfo:  # noqa: N802
        """The version."""
        return plugin_pb2.PluginInfo(version=self._version)

    def GetSchema(self, _request: GetSchemaRequest) -> GetSchemaResponse:  # noqa: N802
        """The package's own."""
        return provider_pb2.GetSchemaResponse(schema=self._schema())

    def Parameterize(self, _request: ParameterizeRequest) -> ParameterizeResponse:  # noqa: N802
        """Nothing makes other packages of parameters."""
        raise MonitorError("UNIMPLEMENTED", "Parameterize")


class Loader:
    """Tells the schemas of packages by name, to hosts that start no provider for them.

    Those of YAML do so since 1.36. Source: pulumi/pulumi `proto/pulumi/codegen/loader.proto`.
    """

    def __init__(self, schemas: Mapping[str, PackageSchema]) -> None:
        self._schemas = schemas

    def GetSchema(  # noqa: N802
        self, request: loader_pb2.GetSchemaRequest
    ) -> loader_pb2.GetSchemaResponse:
        """The schema of a package, or of one that its provider makes of parameters."""
        from pulumi.runtime.proto.codegen import loader_pb2

        package = self._schemas.get(request.package)
        if package is None:
            name = f"pulumi-resource-{request.package}"
            # As the engine would say.
            raise MonitorError("NOT_FOUND", f"no resource plugin {name!r} found")
        asked = provider_pb2.GetSchemaRequest()
        if request.HasField("parameterization"):
            made = request.parameterization
            package.Parameterize(_parameters(made))
            asked = provider_pb2.GetSchemaRequest(
                subpackage_name=made.name, subpackage_version=made.version
            )
        return loader_pb2.GetSchemaResponse(schema=package.GetSchema(asked).schema.encode())


def _parameters(made: loader_pb2.Parameterization) -> provider_pb2.ParameterizeRequest:
    value = provider_pb2.ParameterizeRequest.ParametersValue(
        name=made.name, version=made.version, value=made.value
    )
    return provider_pb2.ParameterizeRequest(value=value)
