"""The engine service beside the monitor: a program's log, and little else.

Source: pulumi/pulumi `proto/pulumi/engine.proto`.
"""

from __future__ import annotations

from google.protobuf import empty_pb2
from pulumi.runtime.proto import engine_pb2

from ..recording import Report, Severity


class Engine:
    """Answers what SDKs ask of an engine."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._root = ""

    def Log(self, request: engine_pb2.LogRequest) -> empty_pb2.Empty:  # noqa: N802 - the protocol's names
        """Keep the program's message; debug messages are for nobody here."""
        severities: dict[int, Severity] = {
            engine_pb2.INFO: "info",
            engine_pb2.WARNING: "warning",
            engine_pb2.ERROR: "error",
        }
        if request.severity in severities:
            self._report({"log": (severities[request.severity], request.message)})
        return empty_pb2.Empty()

    def SetRootResource(  # noqa: N802
        self, request: engine_pb2.SetRootResourceRequest
    ) -> engine_pb2.SetRootResourceResponse:
        """SDKs keep the stack's URN here, so that several copies of them agree on it."""
        self._root = request.urn
        return engine_pb2.SetRootResourceResponse()

    def GetRootResource(  # noqa: N802
        self, _request: engine_pb2.GetRootResourceRequest
    ) -> engine_pb2.GetRootResourceResponse:
        """The URN that SetRootResource was given."""
        return engine_pb2.GetRootResourceResponse(urn=self._root)

    def RequirePulumiVersion(  # noqa: N802
        self, _request: engine_pb2.RequirePulumiVersionRequest
    ) -> engine_pb2.RequirePulumiVersionResponse:
        """Any requirement is met: what is implemented is the protocol, not a version of the CLI."""
        return engine_pb2.RequirePulumiVersionResponse()
