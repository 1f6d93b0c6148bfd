"""A monitor whose outside is replaced: events are kept, and the provider is a fake."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from pulumi.runtime.proto import provider_pb2, resource_pb2

from plugin_image.renderer.pulumi.monitor.errors import MonitorError, Refusal
from plugin_image.renderer.pulumi.monitor.plugin.packages import Packages
from plugin_image.renderer.pulumi.monitor.plugin.plugins import Constructed, Released
from plugin_image.renderer.pulumi.monitor.recording import Event, Recording
from plugin_image.renderer.pulumi.monitor.resources.names import Names
from plugin_image.renderer.pulumi.monitor.resources.naming import AUTONAMING_KEY, namer
from plugin_image.renderer.pulumi.monitor.run_context import LiveName, RunContext
from plugin_image.renderer.pulumi.monitor.service.monitor import Monitor
from plugin_image.renderer.pulumi.monitor.service.schemas import PackageSchema
from plugin_image.renderer.pulumi.monitor.values import structs, wire

CONFIG_MAP = "kubernetes:core/v1:ConfigMap"
COMPONENT = "example:index:Component"
_DEPLOYMENT = {"root": "/src", "folder": "/src", "namespace": "team", "kube_version": "1.34.0"}


@dataclass
class FakePlugin:
    """Answers with what it was asked, and remembers it."""

    namespace: str
    asked: list[Any] = field(default_factory=list)
    constructed: list[Any] = field(default_factory=list)
    unknown_kinds: int = 0
    children: int | None = None
    closed: bool = False
    released: Released | None = None
    releases: list[Any] = field(default_factory=list)

    def invoke(self, function: str, arguments: Mapping[str, Any]) -> Any:
        self.asked.append(function)
        response = provider_pb2.InvokeResponse()
        structs.into_struct(arguments, getattr(response, "return"))
        response.failures.add(property="chart", reason="missing")
        return response

    def construct(self, request: Any, fields: Mapping[str, Any], called: str) -> Constructed:
        self.asked.append((request.type, fields["project"]))
        self.constructed.append(request)
        if self.unknown_kinds:
            raise MonitorError("UNKNOWN", f"the unknown kind {self.unknown_kinds}")
        response = provider_pb2.ConstructResponse(urn=f"urn:constructed::{request.name}")
        structs.into_struct({"resources": ["one"]}, response.state)
        return Constructed(response, self.children)

    def release(self, inputs: Mapping[str, Any], called: str) -> Released:
        self.releases.append((inputs, called))
        assert self.released
        return self.released

    def learn(self, error: MonitorError) -> bool:
        self.unknown_kinds -= 1
        return self.unknown_kinds >= 0

    def close(self) -> None:
        self.closed = True


class NoProgram:
    """A program that serves nothing to packages."""

    def endpoint(self) -> str:
        return "127.0.0.1:1"

    def schemas(self, others: Mapping[str, PackageSchema]) -> dict[str, int]:
        raise NotImplementedError

    def loader(self, others: Mapping[str, PackageSchema]) -> str:
        raise NotImplementedError

    def lose_unknown(self) -> None:
        raise NotImplementedError


class Harness:
    """A monitor, what it reported, and the providers it started."""

    def __init__(
        self,
        *,
        suffix_hash: bool = False,
        key: bytes = b"",
        autonaming: Any = None,
        live_names: Mapping[str, LiveName] | None = None,
        released: Released | None = None,
        prefixing: Collection[str] = (),
        **deployment: Any,
    ) -> None:
        self.events: list[Event] = []
        self.plugins: list[FakePlugin] = []
        self._released = released
        self.stacks: dict[str, tuple[dict[str, Any], list[str]]] = {}
        names = {"project": "shop", "stack": "dev", "organization": "acme"}
        settings = {AUTONAMING_KEY: json.dumps(autonaming)} if autonaming else {}
        context = RunContext(
            **{**names, **_DEPLOYMENT, **deployment},
            disable_name_suffix_hash=not suffix_hash,
            naming_key=key.hex(),
            live_names=dict(live_names or {}),
        )
        self.names = Names(namer(settings, **names), context, prefixing=prefixing)
        self.monitor = Monitor(
            context,
            self.names,
            self.events.append,
            start_plugin=self._start,
            read_stack=self._read,
            packages=Packages((), NoProgram()),
        )

    @property
    def recording(self) -> Recording:
        """What was reported so far."""
        return Recording.of(self.events)

    def register(
        self, type_: str, name: str, properties: Mapping[str, Any] | None = None, **fields: Any
    ) -> Any:
        """Register a custom resource, or with `custom=False` a component."""
        request = resource_pb2.RegisterResourceRequest(
            **{"type": type_, "name": name, "custom": True, **fields}
        )
        structs.into_struct(properties or {}, request.object)
        return self.monitor.RegisterResource(request)

    def state(self, response: Any) -> dict[str, Any]:
        """The outputs of a registration."""
        return structs.from_struct(response.object)

    def _start(self, namespace: str) -> FakePlugin:
        self.plugins.append(FakePlugin(namespace, released=self._released))
        return self.plugins[-1]

    def _read(self, name: str) -> tuple[Mapping[str, Any], list[str]]:
        if name not in self.stacks:
            raise Refusal(f"no stack {name}", "name another")
        return self.stacks[name]


def secret(value: Any) -> Any:
    """A value marked as secret, in wire form."""
    return wire.secret(value)
