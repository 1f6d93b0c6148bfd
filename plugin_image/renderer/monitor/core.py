"""The resource monitor: registrations in, a recording out.

Answers each request of pulumi/pulumi `proto/pulumi/resource.proto` by its message, in
whatever thread it comes. It knows neither gRPC nor processes; `direct` and `server` carry
the messages. It works with the message classes of the program's own SDK, so it names no
message that an older SDK may lack at import.
"""

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import unquote

from google.protobuf import empty_pb2
from pulumi.runtime.proto import resource_pb2

from plugin_image.renderer.monitor import kinds, shapes, structs, wire
from plugin_image.renderer.monitor.naming import Namer
from plugin_image.renderer.monitor.recording import Registration, Report

STACK_TYPE: Final = "pulumi:pulumi:Stack"
_PROVIDER_PREFIX: Final = "pulumi:providers:"
_KUBERNETES: Final = "kubernetes"
_KUBERNETES_PROVIDER: Final = f"{_PROVIDER_PREFIX}{_KUBERNETES}"

_FEATURES: Final = {
    "secrets": "SECRETS",
    "resourceReferences": "RESOURCE_REFERENCES",
    "aliasSpecs": "ALIAS_SPECS",
    "deletedWith": "DELETED_WITH",
    "replaceWith": "REPLACE_WITH",
}
"""What the monitor supports: the id that SupportsFeature asks by, and the enum's name."""


class MonitorError(Exception):
    """A request that gets no answer.

    `code` is the name of a gRPC status code. INVALID_ARGUMENT is the program's fault,
    UNIMPLEMENTED lets an SDK fall back to an older way.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Refusal(MonitorError):
    """The program asks for something that is never rendered."""

    def __init__(self, summary: str, fix: str) -> None:
        super().__init__("INVALID_ARGUMENT", f"{summary}: {fix}")
        self.summary = summary
        self.fix = fix


@dataclass(frozen=True)
class Deployment:
    """What the program may ask about the deployment it runs in."""

    project: str
    stack: str
    organization: str
    namespace: str
    """Where Argo CD puts objects that name no namespace."""
    root: str
    """The project's folder; places in the program are told relative to it."""


class Monitor:
    """Answers a program's requests and reports what it registers. Thread-safe.

    `report` is called under a lock, one event at a time.
    """

    def __init__(self, deployment: Deployment, namer: Namer, report: Report) -> None:
        self._deployment = deployment
        self._namer = namer
        self._report = report
        self._lock = threading.Lock()
        self._registered = 0
        self._types: dict[str, str] = {}
        self._provider_namespaces: dict[str, str] = {}

    # --- The service ------------------------------------------------------------------

    def SupportsFeature(self, request: Any) -> Any:  # noqa: N802 - the protocol's names
        """Whether the monitor has a feature, by its old name."""
        return resource_pb2.SupportsFeatureResponse(hasSupport=request.id in _FEATURES)

    def GetDeploymentInfo(self, _request: Any) -> Any:  # noqa: N802
        """Features by number; SDKs from before this rpc ask SupportsFeature."""
        if not hasattr(resource_pb2, "DeploymentInfo"):
            raise MonitorError("UNIMPLEMENTED", "GetDeploymentInfo")
        prefix = "RESOURCE_MONITOR_FEATURE_"
        numbers = dict(resource_pb2.ResourceMonitorFeature.items())
        return resource_pb2.DeploymentInfo(
            project=self._deployment.project,
            stack=self._deployment.stack,
            organization=self._deployment.organization,
            supportedFeatures=[
                numbers[prefix + name] for name in _FEATURES.values() if prefix + name in numbers
            ],
        )

    def RegisterResource(self, request: Any) -> Any:  # noqa: N802
        """Record an object; answer with what a deployment would have made of it."""
        return self._answer(self._register, request)

    def RegisterResourceOutputs(self, _request: Any) -> Any:  # noqa: N802
        """Outputs of components and stacks are nothing that is rendered."""
        return empty_pb2.Empty()

    def ReadResource(self, request: Any) -> Any:  # noqa: N802
        """Refused: there is no cluster to read from."""
        return self._answer(self._refuse_read, request)

    def Invoke(self, request: Any) -> Any:  # noqa: N802
        """Refused: a function of a provider would need that provider."""
        return self._answer(self._refuse_call, request, "function")

    def Call(self, request: Any) -> Any:  # noqa: N802
        """Refused: a method of a provider would need that provider."""
        return self._answer(self._refuse_call, request, "method")

    def SignalAndWaitForShutdown(self, _request: Any) -> Any:  # noqa: N802
        """The SDK's word that the program has come to its end; nothing is complete without it."""
        with self._lock:
            self._report({"finished": True})
        return empty_pb2.Empty()

    # --- How --------------------------------------------------------------------------

    def _answer(self, answer: Callable[..., Any], *arguments: Any) -> Any:
        """Answer, and report a refusal: SDKs wrap its words in many of their own."""
        try:
            return answer(*arguments)
        except Refusal as refusal:
            with self._lock:
                self._report({"refusal": (refusal.summary, refusal.fix)})
            raise

    def _register(self, request: Any) -> Any:
        called = self._called(request)
        urn = self._urn(request, called)
        response = resource_pb2.RegisterResourceResponse(urn=urn)
        if request.custom and not request.type.startswith(_PROVIDER_PREFIX):
            outputs = self._register_object(urn, request, called)
            response.id = _identifier(wire.reveal(outputs["metadata"]))
            structs.into_struct(outputs, response.object)
            return response
        if request.remote:
            raise Refusal(
                f"{called} is a component of a provider, which is not rendered",
                "register its resources in the program itself",
            )
        if request.custom:
            response.id = self._register_provider(urn, request)
        response.object.CopyFrom(request.object)
        return response

    def _called(self, request: Any) -> str:
        """The resource as messages name it."""
        source = self._source(request)
        return f"{request.type} {request.name!r}{f' ({source})' if source else ''}"

    def _source(self, request: Any) -> str:
        """The program's file and line, if the SDK sent them: a `file://` or `project://` URI."""
        position = getattr(request, "sourcePosition", None)
        if position is None or not position.uri:
            return ""
        path = unquote(position.uri.partition("://")[2])
        return f"{path.removeprefix(self._deployment.root).lstrip('/')}:{position.line}"

    def _urn(self, request: Any, called: str) -> str:
        """The URN, with the types of all parents. Source: `sdk/go/common/resource/urn/urn.go`."""
        stack, project = self._deployment.stack, self._deployment.project
        with self._lock:
            parent = self._types.get(request.parent, "")
            nested = parent and parent != STACK_TYPE
            qualified = f"{parent}${request.type}" if nested else request.type
            urn = f"urn:pulumi:{stack}::{project}::{qualified}::{request.name}"
            if urn in self._types:
                raise Refusal(
                    f"{called} is there twice, by type and name", "give each resource its own name"
                )
            self._types[urn] = qualified
            return urn

    def _register_provider(self, urn: str, request: Any) -> str:
        """A Kubernetes provider only says which namespace its objects go to; none is contacted."""
        namespace = wire.reveal(structs.from_struct(request.object).get("namespace"))
        if request.type == _KUBERNETES_PROVIDER and isinstance(namespace, str):
            self._provider_namespaces[urn] = namespace
        return str(request.name)

    def _register_object(self, urn: str, request: Any, called: str) -> dict[str, Any]:
        _refuse_foreign(request.type, called)
        manifest = structs.from_struct(request.object)
        _complete_kind(request.type, manifest)
        _refuse_partial(request.type, manifest, called)
        wire.update(manifest, "metadata", self._names(urn, request, manifest))
        with self._lock:
            registration = Registration(
                urn=urn,
                type=request.type,
                name=request.name,
                object=manifest,
                index=self._registered,
                source=self._source(request),
            )
            self._registered += 1
            self._report(registration.event())
        return self._outputs(registration, request.additionalSecretOutputs)

    def _names(self, urn: str, request: Any, manifest: Mapping[str, Any]) -> dict[str, Any]:
        """The name and namespace that the object lacks, where they can be known."""
        given = wire.reveal(manifest.get("metadata")) or {}
        names = {}
        if not wire.reveal(given.get("name")) and not given.get("generateName"):
            names["name"] = self._namer(request.type, urn, request.name)
        if _is_namespaced(manifest) and not wire.reveal(given.get("namespace")):
            names["namespace"] = self._provider_namespaces.get(request.provider.rpartition("::")[0])
        return {key: name for key, name in names.items() if name is not None}

    def _outputs(self, registration: Registration, secret_outputs: Iterable[str]) -> dict[str, Any]:
        """The object as a cluster would give it back: the inputs and what only it knows."""
        outputs = dict(registration.object)
        for key, added in shapes.placeholders(registration.type, registration.index).items():
            wire.update(outputs, key, added, keep=True)
        if _is_namespaced(outputs):
            wire.update(outputs, "metadata", {"namespace": self._deployment.namespace}, keep=True)
        for key in secret_outputs:
            if key in outputs and wire.signature_of(outputs[key]) != wire.SECRET:
                outputs[key] = wire.secret(outputs[key])
        return outputs

    def _refuse_read(self, request: Any) -> None:
        raise Refusal(
            f"{request.type} {request.name!r} is read from a live system, and a render has none",
            "pass what the program needs from it as configuration",
        )

    def _refuse_call(self, request: Any, what: str) -> None:
        raise Refusal(
            f"the {what} {request.tok} of a provider is called, which is not rendered",
            "compute the value in the program or pass it as configuration",
        )


def _refuse_foreign(type_: str, called: str) -> None:
    """Only Kubernetes objects can be rendered."""
    if type_.partition(":")[0] != _KUBERNETES:
        raise Refusal(
            f"{called} is not a Kubernetes object",
            "keep it in a stack of its own that `pulumi up` deploys, and pass its outputs as "
            "configuration",
        )
    if type_.startswith("kubernetes:helm.sh/"):
        raise Refusal(
            f"{called} is installed by Helm, not rendered",
            "deliver the chart as an Argo CD Application",
        )


def _refuse_partial(type_: str, manifest: Mapping[str, Any], called: str) -> None:
    """A patch is no object of its own, a list is several."""
    kind = type_.rpartition(":")[2]
    if kind == f"{manifest.get('kind')}Patch":
        raise Refusal(
            f"{called} patches an object that something else owns",
            "declare the whole object, or patch it elsewhere",
        )
    if kind.endswith("List") and "items" in manifest:
        raise Refusal(f"{called} is a list of objects", "register each object by itself")


def _complete_kind(type_: str, manifest: dict[str, Any]) -> None:
    """Put in the apiVersion and kind that a type token stands for, where the SDK left them out."""
    _, group_version, kind = type_.split(":", 2)
    manifest.setdefault("apiVersion", group_version.removeprefix("core/"))
    manifest.setdefault("kind", kind)


def _is_namespaced(manifest: Mapping[str, Any]) -> bool:
    return kinds.is_namespaced(str(manifest["apiVersion"]), str(manifest["kind"]))


def _identifier(metadata: Mapping[str, Any]) -> str:
    """The id that the Kubernetes provider gives: `namespace/name`, or the name alone."""
    names = (wire.reveal(metadata.get(key)) for key in ("namespace", "name"))
    return "/".join(str(name) for name in names if name)
