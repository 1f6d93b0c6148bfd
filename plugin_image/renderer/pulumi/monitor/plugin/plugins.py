"""What the monitor asks of the real Kubernetes provider, and which one it asks."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypedDict

from ..errors import MonitorError
from ..resources.providers import Provider
from ..values import wire

if TYPE_CHECKING:
    from pulumi.runtime.proto.provider_pb2 import ConstructResponse, InvokeResponse
    from pulumi.runtime.proto.resource_pb2 import RegisterResourceRequest

    from .contents import Content


class Fields(TypedDict, total=False):
    """What a ConstructRequest says of the deployment, in the protocol's own names."""

    project: str
    stack: str
    organization: str
    config: Mapping[str, str]
    configSecretKeys: Sequence[str]


@dataclass(frozen=True)
class Constructed:
    """A component that the Kubernetes provider has made."""

    response: ConstructResponse
    children: int | None
    """How many objects it is made of; None where that is not known."""
    note: str = ""
    """What a person should know of it; empty where there is nothing."""


@dataclass(frozen=True)
class Released:
    """What a Helm release installs."""

    contents: Sequence[Content]
    """Its objects, also definitions and hooks, each with its template."""
    version: str
    """The version of the chart."""
    chart: Mapping[str, Any]
    """The Chart.yaml."""
    lookups: Sequence[str]
    """The files of the chart that ask the cluster for objects."""


class Plugin(Protocol):
    """The real Kubernetes provider, with one default namespace (`components.Components`)."""

    def invoke(self, function: str, arguments: Mapping[str, wire.Json]) -> InvokeResponse:
        """What a function gives."""

    def construct(
        self, request: RegisterResourceRequest, fields: Fields, called: str
    ) -> Constructed:
        """A component, which messages name as `called`."""

    def release(self, inputs: Mapping[str, wire.Json], called: str) -> Released:
        """What a Helm release with these plain inputs installs."""

    def learn(self, error: MonitorError) -> bool:
        """Whether the plugin has learned from a failed `construct`, so that it is worth a retry."""

    def close(self) -> None:
        """End it."""


class Plugins:
    """The providers of one program, one for each default namespace. Thread-safe."""

    def __init__(self, start: Callable[[str], Plugin], namespace: str) -> None:
        """`start` gives the plugin for a namespace, and is called when it is first needed.

        `namespace` is where objects go that name none, and whose provider names none.
        """
        self._start = start
        self._namespace = namespace
        self._lock = threading.Lock()
        self._started: dict[str, Plugin] = {}

    def of(self, provider: Provider) -> Plugin:
        """The plugin for the default namespace of a provider resource."""
        namespace = str(wire.reveal(provider.namespace) or self._namespace)
        with self._lock:
            if namespace not in self._started:
                self._started[namespace] = self._start(namespace)
            return self._started[namespace]

    def close(self) -> None:
        """End those that were started."""
        for plugin in self._started.values():
            plugin.close()
