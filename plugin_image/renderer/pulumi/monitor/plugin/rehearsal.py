"""A monitor without effect, to find out what a component would register."""

from __future__ import annotations

import itertools
import threading
from typing import Never

from google.protobuf import empty_pb2
from google.protobuf.message import Message
from pulumi.runtime.proto import resource_pb2

from .. import policy
from ..errors import MonitorError
from ..resources import field_types
from ..values import structs


class Rehearsal:
    """Takes what is registered and remembers how many children each component has."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        self._children: dict[str, int] = {}

    def children(self, urn: str) -> int:
        """How many were registered below a component."""
        with self._lock:
            return self._children.get(urn, 0)

    def SupportsFeature(  # noqa: N802 - the protocol's names
        self, _request: resource_pb2.SupportsFeatureRequest
    ) -> resource_pb2.SupportsFeatureResponse:
        """Secrets and the like do not matter here."""
        return resource_pb2.SupportsFeatureResponse(hasSupport=False)

    def GetDeploymentInfo(self, _request: empty_pb2.Empty) -> Never:  # noqa: N802
        """The SDK then asks SupportsFeature."""
        raise MonitorError("UNIMPLEMENTED", "GetDeploymentInfo")

    def RegisterResource(  # noqa: N802
        self, request: resource_pb2.RegisterResourceRequest
    ) -> resource_pb2.RegisterResourceResponse:
        """Answer with what it was given; the same names may come again and again.

        Raises Refusal for an object with which the provider hangs.
        """
        if request.custom:
            _require_types(request)
        with self._lock:
            self._children[request.parent] = self._children.get(request.parent, 0) + 1
            number = next(self._numbers)
        urn = f"urn:pulumi:rehearsal::rehearsal::{request.type}::{number}"
        response = resource_pb2.RegisterResourceResponse(urn=urn, id=str(number))
        response.object.CopyFrom(request.object)
        return response

    def RegisterResourceOutputs(  # noqa: N802
        self, _request: resource_pb2.RegisterResourceOutputsRequest
    ) -> empty_pb2.Empty:
        """Nobody looks them up."""
        return empty_pb2.Empty()

    def refuse_depth(self, request: Message) -> resource_pb2.RegisterResourceResponse:
        """Count what is nested too deeply, too; the monitor is what refuses it."""
        if not isinstance(request, resource_pb2.RegisterResourceRequest):
            raise MonitorError("INVALID_ARGUMENT", "it is nested too deeply")
        return self.RegisterResource(request)


def _require_types(request: resource_pb2.RegisterResourceRequest) -> None:
    manifest = structs.from_struct(request.object)
    problem = field_types.problem(manifest)
    if problem:
        raise policy.refuse_type(manifest, "the kustomization", "", problem)
