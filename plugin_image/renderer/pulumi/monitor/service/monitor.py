"""The resource monitor: registrations in, a recording out.

Answers each request of pulumi/pulumi `proto/pulumi/resource.proto` by its message, in
whatever thread it comes. It knows neither gRPC nor processes; `transport` carries the
messages. It works with the message classes of the program's own SDK, so it names no
message that an older SDK may lack at import, and no annotation is evaluated.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Never, TypeVar, cast

from google.protobuf import empty_pb2
from google.protobuf.message import Message
from pulumi.runtime.proto import provider_pb2, resource_pb2

from .. import policy
from ..errors import BrokenError, MonitorError, Refusal
from ..plugin.packages import Packages
from ..plugin.plugins import Plugin, Plugins
from ..recording import Event, Report
from ..resources.names import Names
from ..resources.providers import Providers
from ..resources.registry import Registry
from ..run_context import ReadStack, RunContext
from ..values import structs, wire
from . import features
from .registrar import Registrar
from .schemas import PackageSchema
from .transforms import Transforms

if TYPE_CHECKING:
    from google.protobuf.empty_pb2 import Empty
    from pulumi.runtime.proto.callback_pb2 import Callback
    from pulumi.runtime.proto.provider_pb2 import CallResponse
    from pulumi.runtime.proto.resource_pb2 import (
        DeploymentInfo,
        ReadResourceRequest,
        ReadResourceResponse,
        RegisterErrorHookRequest,
        RegisterPackageRequest,
        RegisterPackageResponse,
        RegisterResourceHookRequest,
        RegisterResourceOutputsRequest,
        RegisterResourceRequest,
        RegisterResourceResponse,
        ResourceCallRequest,
        ResourceInvokeRequest,
        ResourceInvokeResponse,
        SupportsFeatureRequest,
        SupportsFeatureResponse,
    )

_STACK_REFERENCE: Final = "pulumi:pulumi:StackReference"
_GET_RESOURCE: Final = "pulumi:pulumi:getResource"

_ANSWERED_BY_OTHERS: Final = frozenset({"ReadResource", "Invoke", "Call"})

_Request = TypeVar("_Request")
_Response = TypeVar("_Response")


class Monitor:
    """Answers a program's requests and reports what it registers. Thread-safe.

    `report` is called under a lock, one event at a time. `start_plugin` gives the provider
    for a default namespace; it is called when one is first needed.
    """

    def __init__(
        self,
        context: RunContext,
        names: Names,
        report: Report,
        *,
        start_plugin: Callable[[str], Plugin],
        read_stack: ReadStack,
        packages: Packages,
    ) -> None:
        self._context = context
        self._unlocked_report = report
        self._read_stack = read_stack
        self._lock = threading.Lock()
        self._references: dict[str, str] = {}
        self._packages = packages
        self._registry = Registry(
            project=context.project, stack=context.stack, root=context.root, code=context.code
        )
        self._providers = Providers(context.config, context.secret_keys)
        self._plugins = Plugins(start_plugin, context.namespace)
        self._transforms = Transforms()
        self._registrar = Registrar(
            context,
            self._registry,
            names,
            providers=self._providers,
            plugins=self._plugins,
            packages=packages,
            transforms=self._transforms,
            report=self._report,
        )

    def waits(self, rpc: str, request: Message) -> bool:
        """Whether an answer comes from others: the provider, another stack, a transform."""
        if isinstance(request, resource_pb2.RegisterResourceRequest):
            asks = request.remote or policy.is_release(request.type)
            return asks or self._transforms.concern(request)
        return rpc in _ANSWERED_BY_OTHERS

    def close(self) -> None:
        """End what was started for the program."""
        self._plugins.close()

    # --- The service: what a program asks about ---------------------------------------

    def SupportsFeature(self, request: SupportsFeatureRequest) -> SupportsFeatureResponse:  # noqa: N802 - the protocol's names
        """Whether the monitor has a feature, by its old name."""
        return resource_pb2.SupportsFeatureResponse(hasSupport=features.has(request.id))

    def GetDeploymentInfo(self, _request: Empty) -> DeploymentInfo:  # noqa: N802
        """Features by number, and the deployment; older SDKs ask SupportsFeature instead."""
        if not hasattr(resource_pb2, "DeploymentInfo"):
            raise MonitorError("UNIMPLEMENTED", "GetDeploymentInfo")
        return resource_pb2.DeploymentInfo(
            project=self._context.project,
            stack=self._context.stack,
            organization=self._context.organization,
            config=dict(self._context.config),
            configSecretKeys=self._context.secret_keys,
            supportedFeatures=features.numbers(),
        )

    # --- The service: what a program registers ----------------------------------------

    def RegisterResource(self, request: RegisterResourceRequest) -> RegisterResourceResponse:  # noqa: N802
        """Record an object; answer with what a deployment would have made of it."""
        return self._answer(self._registrar.register, request)

    def RegisterResourceElsewhere(  # noqa: N802
        self, request: RegisterResourceRequest
    ) -> Never:
        """Refused: a resource of a process or thread that the program started.

        Nobody knows whether it has registered all that it would before the program ends.
        """
        self._answer(self._refuse_elsewhere, request)

    def RegisterResourceOutputs(self, request: RegisterResourceOutputsRequest) -> Empty:  # noqa: N802
        """Keep a component's outputs for those who look it up; a render shows none.

        The stack's come when the program has made all that it exports.
        """
        self._registry.keep_outputs(request.urn, request.outputs)
        if self._registry.is_stack(request.urn):
            self._report({"exported": True})
        return empty_pb2.Empty()

    def RegisterStackTransform(self, request: Callback) -> Empty:  # noqa: N802
        """Run a callback on every resource that comes after."""
        self._transforms.add_for_stack(request)
        return empty_pb2.Empty()

    def RegisterStackInvokeTransform(self, request: Callback) -> Empty:  # noqa: N802
        """Run a callback on every function call that comes after."""
        self._transforms.add_for_invokes(request)
        return empty_pb2.Empty()

    def RegisterResourceHook(self, _request: RegisterResourceHookRequest) -> Empty:  # noqa: N802
        """Accepted and never run: hooks go with creating, changing and deleting."""
        return empty_pb2.Empty()

    def RegisterErrorHook(self, _request: RegisterErrorHookRequest) -> Empty:  # noqa: N802
        """Accepted and never run, like other hooks."""
        return empty_pb2.Empty()

    def RegisterPackage(self, request: RegisterPackageRequest) -> RegisterPackageResponse:  # noqa: N802
        """Name a package; the same one gets the same reference.

        One that adds kinds to the Kubernetes provider has Kubernetes objects.
        """
        self._registrar.extend(request)
        package = request.SerializeToString(deterministic=True).hex()
        with self._lock:
            reference = self._references.setdefault(package, f"package-{len(self._references)}")
        return resource_pb2.RegisterPackageResponse(ref=reference)

    def SignalAndWaitForShutdown(self, _request: Empty) -> Empty:  # noqa: N802
        """The SDK's word that the program has registered everything.

        Whether that is the program's end is for its host to say.
        """
        self._report({"signalled": True})
        return empty_pb2.Empty()

    # --- The service: what a program reads and calls ----------------------------------

    def ReadResource(self, request: ReadResourceRequest) -> ReadResourceResponse:  # noqa: N802
        """The outputs of another stack; anything else is refused."""
        return self._answer(self._read, request)

    def Invoke(self, request: ResourceInvokeRequest) -> ResourceInvokeResponse:  # noqa: N802
        """Functions of the Kubernetes provider, and of the engine; others are refused."""
        return self._answer(self._invoke, request)

    def Call(self, request: ResourceCallRequest) -> CallResponse:  # noqa: N802
        """Methods of components of the repository's packages; others are refused."""
        return self._answer(self._call, request)

    def names(self) -> Counter[str]:
        """The logical names of all that is registered or read, and how many have each."""
        return self._registry.names()

    def schema_of(self, package: str) -> PackageSchema:
        """What tells the schema of one of the repository's packages."""
        return PackageSchema(lambda: self._answer(self._packages.schema, package))

    def refuse_depth(self, request: Message) -> Never:
        """Refuse a request without the part of it that is nested too deeply to be read."""
        self._answer(self._refuse_depth, request)

    # --- How --------------------------------------------------------------------------

    def _report(self, event: Event) -> None:
        with self._lock:
            self._unlocked_report(event)

    def _answer(self, answer: Callable[[_Request], _Response], request: _Request) -> _Response:
        """Answer, and report a refusal: SDKs wrap its words in many of their own."""
        try:
            return answer(request)
        except Refusal as refusal:
            self._report({"refusal": (refusal.summary, refusal.fix)})
            raise
        except BrokenError as broken:
            self._report({"broken": (str(broken), broken.details)})
            raise

    def _refuse_elsewhere(self, request: RegisterResourceRequest) -> Never:
        raise Refusal(
            f"{self._registry.called(request)} is registered in another process or thread, which "
            "the program started",
            "make resources in the program's own process and main thread; others may compute "
            "what goes into them",
        )

    def _invoke(self, request: ResourceInvokeRequest) -> ResourceInvokeResponse:
        self._transforms.apply_to_invoke(request)
        response = _invoke_response()
        if request.tok == _GET_RESOURCE:
            structs.into_struct(self._lookup(request), getattr(response, "return"))
        elif policy.is_kubernetes(request.tok):
            called = f"the function {request.tok}"
            arguments = policy.read(request.args, called)
            policy.require_followed(arguments, called, self._context.unreadable)
            # An SDK does not say what they were computed from.
            policy.require_known(arguments, called, ())
            plugin = self._plugins.of(self._providers.of(request.provider, called))
            answer = plugin.invoke(request.tok, arguments)
            getattr(response, "return").CopyFrom(getattr(answer, "return"))
            for failure in answer.failures:
                response.failures.add(property=failure.property, reason=failure.reason)
        else:
            raise policy.refuse_call("function", request.tok)
        return response

    def _lookup(self, request: ResourceInvokeRequest) -> dict[str, wire.Json]:
        """A registered resource, which SDKs look up when they are given a reference to it."""
        urn = structs.from_struct(request.args).get("urn")
        known = self._registry.state(urn)
        if known is None:
            raise MonitorError("NOT_FOUND", f"there is no resource {urn}")
        identity, state = known
        return {"urn": urn, "id": identity, "state": structs.from_struct(state)}

    def _call(self, request: ResourceCallRequest) -> CallResponse:
        if policy.package_of(request.tok) not in self._packages:
            raise policy.refuse_call("method", request.tok)
        return self._registrar.call(request)

    def _read(self, request: ReadResourceRequest) -> ReadResourceResponse:
        if request.type != _STACK_REFERENCE:
            raise policy.refuse_read(self._registry.called(request))
        try:
            outputs, secret = self._read_stack(request.id)
        except Refusal as refusal:
            summary = f"{refusal.summary}{self._registry.asked_at(request)}"
            raise Refusal(summary, refusal.fix) from refusal
        marked = {k: wire.secret(v) if k in secret else v for k, v in outputs.items()}
        urn = self._registry.add(request, self._registry.called(request))
        response = resource_pb2.ReadResourceResponse(urn=urn)
        state = {"name": request.id, "outputs": marked, "secretOutputNames": sorted(secret)}
        structs.into_struct(state, response.properties)
        return response

    def _refuse_depth(self, request: Message) -> Never:
        called = "a value"
        makes = resource_pb2.RegisterResourceRequest, resource_pb2.ReadResourceRequest
        if isinstance(request, makes) and request.name:
            called = self._registry.called(request)
        raise policy.refuse_value(called, structs.too_deep())


def _invoke_response() -> ResourceInvokeResponse:
    """An empty answer to a function, for which older SDKs have the provider's message."""
    made = getattr(resource_pb2, "ResourceInvokeResponse", provider_pb2.InvokeResponse)
    return cast("ResourceInvokeResponse", made())
