"""The engine service beside the monitor: a program's log, and little else.

Source: pulumi/pulumi `proto/pulumi/engine.proto`.
"""

from typing import Any

from google.protobuf import empty_pb2
from pulumi.runtime.proto import engine_pb2

from plugin_image.renderer.pulumi.monitor.recording import Report


class Engine:
    """Answers what SDKs ask of an engine."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._root = ""

    def Log(self, request: Any) -> Any:  # noqa: N802 - the protocol's names
        """Keep the program's message; debug messages are for nobody here."""
        severities = {
            engine_pb2.INFO: "info",
            engine_pb2.WARNING: "warning",
            engine_pb2.ERROR: "error",
        }
        if request.severity in severities:
            self._report({"log": (severities[request.severity], request.message)})
        return empty_pb2.Empty()

    def SetRootResource(self, request: Any) -> Any:  # noqa: N802
        """SDKs keep the stack's URN here, so that several copies of them agree on it."""
        self._root = request.urn
        return engine_pb2.SetRootResourceResponse()

    def GetRootResource(self, _request: Any) -> Any:  # noqa: N802
        """The URN that SetRootResource was given."""
        return engine_pb2.GetRootResourceResponse(urn=self._root)

    def RequirePulumiVersion(self, _request: Any) -> Any:  # noqa: N802
        """Any requirement is met: what is implemented is the protocol, not a version of the CLI."""
        return engine_pb2.RequirePulumiVersionResponse()
