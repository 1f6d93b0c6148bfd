"""The resource monitor: registrations in, a recording out.

Answers each request of pulumi/pulumi `proto/pulumi/resource.proto` by its message, in
whatever thread it comes. It knows neither gRPC nor processes; `direct` and `server` carry
the messages. It works with the message classes of the program's own SDK, so it names no
message that an older SDK may lack at import.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol
from urllib.parse import unquote

from google.protobuf import empty_pb2
from pulumi.runtime.proto import resource_pb2

from plugin_image.renderer.pulumi.monitor import policy
from plugin_image.renderer.pulumi.monitor.errors import MonitorError, Refusal
from plugin_image.renderer.pulumi.monitor.recording import Registration, Report
from plugin_image.renderer.pulumi.monitor.resources import objects, providers
from plugin_image.renderer.pulumi.monitor.resources.inheritance import Inheritance
from plugin_image.renderer.pulumi.monitor.resources.names import Name, Names
from plugin_image.renderer.pulumi.monitor.resources.order import Order
from plugin_image.renderer.pulumi.monitor.run_context import ReadStack, RunContext
from plugin_image.renderer.pulumi.monitor.service import features
from plugin_image.renderer.pulumi.monitor.service.transforms import Transforms
from plugin_image.renderer.pulumi.monitor.values import structs, wire

_STACK: Final = "pulumi:pulumi:Stack"
_STACK_REFERENCE: Final = "pulumi:pulumi:StackReference"
_STASH: Final = "pulumi:index:Stash"
_PROVIDERS: Final = "pulumi:providers:"
_GET_RESOURCE: Final = "pulumi:pulumi:getResource"

_ANSWERED_BY_OTHERS: Final = frozenset({"ReadResource", "Invoke", "Call"})


@dataclass(frozen=True)
class Constructed:
    """A component that the Kubernetes provider has made."""

    response: Any
    """The ConstructResponse."""
    children: int | None
    """How many objects it is made of; None where that is not known."""


class Plugin(Protocol):
    """What the monitor asks of the real Kubernetes provider (`components.Components`)."""

    def invoke(self, function: str, arguments: Mapping[str, Any]) -> Any:
        """The InvokeResponse of a function."""

    def construct(self, request: Any, fields: Mapping[str, Any], called: str) -> Constructed:
        """A component, which messages name as `called`."""

    def learn(self, error: MonitorError) -> bool:
        """Whether the plugin has learned from a failed `construct`, which is worth another try."""

    def close(self) -> None:
        """End it."""


class Monitor:
    """Answers a program's requests and reports what it registers. Thread-safe.

    `report` is called under a lock, one event at a time. `start_plugin` gives the provider
    for a default namespace; it is called when one is needed first.
    """

    def __init__(
        self,
        deployment: RunContext,
        names: Names,
        report: Report,
        *,
        start_plugin: Callable[[str], Plugin],
        read_stack: ReadStack,
    ) -> None:
        self._deployment = deployment
        self._names = names
        self._report = report
        self._start_plugin = start_plugin
        self._read_stack = read_stack
        self._lock = threading.Lock()
        self._registered = 0
        self._types: dict[str, str] = {}
        self._states: dict[str, tuple[str, Any]] = {}
        """The id and the outputs of each resource, for the few that are looked up."""
        self._places: dict[str, str] = {}
        """The `file:line` of each resource or, where none is told, of what it is a part of."""
        self._components: dict[str, str] = {}
        """The charts, files and kustomizations, as messages name them."""
        self._children: Counter[str] = Counter()
        """How many objects each component has."""
        self._default_provider = providers.default_provider(
            deployment.config, deployment.secret_keys
        )
        self._providers: dict[str, providers.Provider] = {}
        self._plugins: dict[str, Plugin] = {}
        self._packages: dict[str, str] = {}
        self._inheritance = Inheritance()
        self._transforms = Transforms()
        self._order = Order()

    def waits(self, rpc: str, request: Any) -> bool:
        """Whether an answer comes from others: the provider, another stack, a transform."""
        if rpc == "RegisterResource":
            return bool(request.remote) or self._transforms.concern(request)
        return rpc in _ANSWERED_BY_OTHERS

    def close(self) -> None:
        """End what was started for the program."""
        for plugin in self._plugins.values():
            plugin.close()

    # --- The service: what a program asks about ---------------------------------------

    def SupportsFeature(self, request: Any) -> Any:  # noqa: N802 - the protocol's names
        """Whether the monitor has a feature, by its old name."""
        return resource_pb2.SupportsFeatureResponse(hasSupport=features.has(request.id))

    def GetDeploymentInfo(self, _request: Any) -> Any:  # noqa: N802
        """Features by number, and the deployment; older SDKs ask SupportsFeature instead."""
        if not hasattr(resource_pb2, "DeploymentInfo"):
            raise MonitorError("UNIMPLEMENTED", "GetDeploymentInfo")
        return resource_pb2.DeploymentInfo(
            project=self._deployment.project,
            stack=self._deployment.stack,
            organization=self._deployment.organization,
            config=dict(self._deployment.config),
            configSecretKeys=self._deployment.secret_keys,
            supportedFeatures=features.numbers(),
        )

    # --- The service: what a program registers ----------------------------------------

    def RegisterResource(self, request: Any) -> Any:  # noqa: N802
        """Record an object; answer with what a deployment would have made of it."""
        return self._answer(self._register, request)

    def RegisterResourceElsewhere(self, request: Any) -> Any:  # noqa: N802
        """Refused: a resource of a process or thread that the program started.

        Nobody knows whether it has registered all that it would before the program ends.
        """
        return self._answer(self._refuse_elsewhere, request)

    def RegisterResourceOutputs(self, request: Any) -> Any:  # noqa: N802
        """Keep a component's outputs for those who look it up; a render shows none.

        The stack's come when the program has made all that it exports.
        """
        with self._lock:
            identity, _ = self._states.get(request.urn, ("", None))
            self._states[request.urn] = identity, request.outputs
            if self._types.get(request.urn) == _STACK:
                self._report({"exported": True})
        return empty_pb2.Empty()

    def RegisterStackTransform(self, request: Any) -> Any:  # noqa: N802
        """Run a callback on every resource that comes after."""
        self._transforms.add_for_stack(request)
        return empty_pb2.Empty()

    def RegisterStackInvokeTransform(self, request: Any) -> Any:  # noqa: N802
        """Run a callback on every function call that comes after."""
        self._transforms.add_for_invokes(request)
        return empty_pb2.Empty()

    def RegisterResourceHook(self, _request: Any) -> Any:  # noqa: N802
        """Accepted and never run: hooks go with creating, changing and deleting."""
        return empty_pb2.Empty()

    def RegisterErrorHook(self, _request: Any) -> Any:  # noqa: N802
        """Accepted and never run, as other hooks."""
        return empty_pb2.Empty()

    def RegisterPackage(self, request: Any) -> Any:  # noqa: N802
        """Name a package; the same one gets the same reference."""
        package = request.SerializeToString(deterministic=True).hex()
        with self._lock:
            reference = self._packages.setdefault(package, f"package-{len(self._packages)}")
        return resource_pb2.RegisterPackageResponse(ref=reference)

    def SignalAndWaitForShutdown(self, _request: Any) -> Any:  # noqa: N802
        """The SDK's word that the program has registered everything.

        Whether that is the program's end is for its host to say.
        """
        with self._lock:
            self._report({"signalled": True})
        return empty_pb2.Empty()

    # --- The service: what a program reads and calls ----------------------------------

    def ReadResource(self, request: Any) -> Any:  # noqa: N802
        """The outputs of another stack; anything else is refused."""
        return self._answer(self._read, request)

    def Invoke(self, request: Any) -> Any:  # noqa: N802
        """Functions of the Kubernetes provider, and of the engine; others are refused."""
        return self._answer(self._invoke, request)

    def Call(self, request: Any) -> Any:  # noqa: N802
        """Refused: a method of a component would need its provider."""
        return self._answer(self._call, request)

    def refuse_depth(self, request: Any) -> Any:
        """Refuse a request without the part of it that is nested too deeply to be read."""
        return self._answer(self._refuse_depth, request)

    # --- How --------------------------------------------------------------------------

    def _answer(self, answer: Callable[[Any], Any], request: Any) -> Any:
        """Answer, and report a refusal: SDKs wrap its words in many of their own."""
        try:
            return answer(request)
        except Refusal as refusal:
            with self._lock:
                self._report({"refusal": (refusal.summary, refusal.fix)})
            raise

    def _register(self, request: Any) -> Any:
        self._inheritance.apply(request)
        self._transforms.apply(request)
        if request.remote:
            return self._construct(request)
        called = self._called(request)
        urn = self._urn(request, called)
        self._place(urn, request)
        self._order.add(urn, request)
        self._inheritance.remember(urn, request)
        self._names.register(urn, request, called)
        self._transforms.add_for_children(urn, request)
        if not request.custom or request.type == _STASH:
            response = self._register_echo(request, called)
        elif request.type.startswith(_PROVIDERS):
            response = self._register_provider(urn, request)
        elif policy.is_foreign(request.type):
            response = self._register_foreign(request, called)
        else:
            response = self._register_object(urn, request, called)
        response.urn = urn
        with self._lock:
            self._states[urn] = response.id, response.object
        return response

    def _refuse_elsewhere(self, request: Any) -> Any:
        raise Refusal(
            f"{self._called(request)} is registered in another process or thread, which the "
            "program started",
            "make resources in the program's own process and main thread; others may compute "
            "what goes into them",
        )

    def _register_echo(self, request: Any, called: str) -> Any:
        """Components, and values that the program stashes: what they were given is their state."""
        _read(request.object, called)
        response = resource_pb2.RegisterResourceResponse()
        response.object.CopyFrom(request.object)
        if request.type == _STASH:
            response.id = request.name
            response.object.fields["output"].CopyFrom(request.object.fields["input"])
        return response

    def _register_provider(self, urn: str, request: Any) -> Any:
        """A Kubernetes provider says where its objects go to; none is contacted."""
        if not policy.is_foreign(request.type.removeprefix(_PROVIDERS)):
            origins = {key: part.urns for key, part in request.propertyDependencies.items()}
            inputs = structs.from_struct(request.object)
            self._providers[urn] = providers.provider(request.name, inputs, origins)
        # A reference to it is `urn::id`, and its name may be anything.
        response = resource_pb2.RegisterResourceResponse(id=request.name.replace(":", "-"))
        response.object.CopyFrom(request.object)
        return response

    def _register_foreign(self, request: Any, called: str) -> Any:
        """Something else than a Kubernetes object: left out where that is asked for."""
        if not self._deployment.ignore_foreign:
            raise policy.refuse_foreign(called)
        response = resource_pb2.RegisterResourceResponse()
        if hasattr(response, "unknown"):
            response.unknown = True
        response.object.CopyFrom(request.object)
        return response

    def _register_object(self, urn: str, request: Any, called: str) -> Any:
        policy.refuse_release(request.type, called)
        manifest = _read(request.object, called)
        objects.complete_kind(request.type, manifest)
        policy.refuse_partial(request.type, manifest, called)
        provider = self._provider(request.provider)
        name = self._names.decide(
            urn,
            request,
            manifest,
            called=called,
            provider=provider,
            replaced_with=self._ids(getattr(request, "replace_with", ())),
        )
        objects.complete_names(manifest, name=name.text, namespace=provider.namespace)
        registration = self._record(urn, request, manifest, name)
        state = objects.outputs(
            request.type,
            registration.index,
            manifest,
            namespace=self._deployment.namespace,
            secret=request.additionalSecretOutputs,
        )
        response = resource_pb2.RegisterResourceResponse(id=objects.identifier(state))
        structs.into_struct(state, response.object)
        return response

    def _ids(self, urns: Iterable[str]) -> list[str]:
        """The ids of resources that are registered; they hold the names of objects."""
        with self._lock:
            return [self._states[urn][0] for urn in urns if urn in self._states]

    def _record(self, urn: str, request: Any, manifest: dict[str, Any], name: Name) -> Registration:
        provider = self._provider(request.provider)
        depends_on, dependencies = self._order.dependencies(request)
        with self._lock:
            registration = Registration(
                urn=urn,
                type=request.type,
                name=request.name,
                object=manifest,
                index=self._registered,
                source=self._places[urn],
                component=self._components.get(request.parent, ""),
                dependencies=dependencies,
                depends_on=depends_on,
                provider=provider.name,
                cluster=provider.cluster,
                auto_name=name.auto,
                protect=request.protect,
                retain_on_delete=request.retainOnDelete,
                live_key=name.live_key,
                hashed=name.hashed,
                keyless=name.keyless,
                replacement_trigger=name.trigger,
                delete_before_replace=request.deleteBeforeReplace,
                ignore_changes=list(request.ignoreChanges),
                replace_on_changes=list(request.replaceOnChanges),
                mutable=sorted(provider.mutable),
            )
            self._registered += 1
            self._children[request.parent] += 1
            self._report(registration.event())
        return registration

    def _construct(self, request: Any) -> Any:
        """A component that the Kubernetes provider makes of a chart, YAML or a kustomization."""
        called = self._called(request)
        if policy.is_foreign(request.type):
            raise Refusal(
                f"{called} is a component of another provider, which is not rendered",
                "register its resources in the program itself",
            )
        _read(request.object, called)
        provider = request.provider or request.providers.get(policy.KUBERNETES, "")
        fields = {
            "project": self._deployment.project,
            "stack": self._deployment.stack,
            "organization": self._deployment.organization,
            "config": dict(self._deployment.config),
            "configSecretKeys": self._deployment.secret_keys,
        }
        self._transforms.hand_over(request)
        self._place(self._urn_of(request), request)
        self._order.construct(self._urn_of(request), request)
        made = self._constructed(self._plugin(provider), request, fields, called)
        response = resource_pb2.RegisterResourceResponse(urn=made.response.urn)
        response.object.CopyFrom(made.response.state)
        with self._lock:
            self._states[response.urn] = "", response.object
            children = self._children[response.urn]
        if made.children not in (None, children):
            raise policy.refuse_lost(called, made.children, children)
        return response

    def _constructed(
        self, plugin: Plugin, request: Any, fields: Mapping[str, Any], called: str
    ) -> Constructed:
        """The component, also when the provider has to learn of kinds first."""
        told: set[str] = set()
        while True:
            try:
                return plugin.construct(request, fields, called)
            except MonitorError as error:
                if str(error) in told or not plugin.learn(error):
                    raise
                told.add(str(error))
                self._forget(request)

    def _forget(self, request: Any) -> None:
        """Let a component be registered again whose provider failed before any child of it."""
        with self._lock:
            self._types.pop(self._urn_of(request), None)

    def _invoke(self, request: Any) -> Any:
        self._transforms.apply_to_invoke(request)
        response = resource_pb2.ResourceInvokeResponse()
        if request.tok == _GET_RESOURCE:
            structs.into_struct(self._lookup(request), getattr(response, "return"))
        elif policy.is_foreign(request.tok):
            raise policy.refuse_call("function", request.tok)
        else:
            arguments = _read(request.args, f"the function {request.tok}")
            answer = self._plugin(request.provider).invoke(request.tok, arguments)
            getattr(response, "return").CopyFrom(getattr(answer, "return"))
            for failure in answer.failures:
                response.failures.add(property=failure.property, reason=failure.reason)
        return response

    def _lookup(self, request: Any) -> dict[str, Any]:
        """A registered resource, which SDKs look up when they are given a reference to it."""
        urn = structs.from_struct(request.args).get("urn")
        with self._lock:
            if urn not in self._states:
                raise MonitorError("NOT_FOUND", f"there is no resource {urn}")
            identity, state = self._states[urn]
        return {"urn": urn, "id": identity, "state": structs.from_struct(state)}

    def _call(self, request: Any) -> Any:
        raise policy.refuse_call("method", request.tok)

    def _read(self, request: Any) -> Any:
        if request.type != _STACK_REFERENCE:
            raise policy.refuse_read(self._called(request))
        outputs, secret = self._read_stack(request.id)
        marked = {k: wire.secret(v) if k in secret else v for k, v in outputs.items()}
        response = resource_pb2.ReadResourceResponse(urn=self._urn(request, self._called(request)))
        state = {"name": request.id, "outputs": marked, "secretOutputNames": sorted(secret)}
        structs.into_struct(state, response.properties)
        return response

    def _place(self, urn: str, request: Any) -> None:
        """Remember where a resource is made; the provider does not say so of its components."""
        with self._lock:
            known = self._places.get(urn) or self._places.get(request.parent, "")
            self._places[urn] = self._source(request) or known
            if not request.custom and not policy.is_foreign(request.type):
                self._components[urn] = f"{request.type.partition(':')[2]} {request.name!r}"

    def _provider(self, reference: str) -> providers.Provider:
        """The provider that a reference `urn::id` names, or the default one."""
        if not reference:
            return self._default_provider
        return self._providers.get(reference.rpartition("::")[0], providers.Provider(reference))

    def _plugin(self, provider: str) -> Plugin:
        namespace = wire.reveal(self._provider(provider).namespace) or self._deployment.namespace
        with self._lock:
            if namespace not in self._plugins:
                self._plugins[namespace] = self._start_plugin(namespace)
            return self._plugins[namespace]

    def _called(self, request: Any) -> str:
        """The resource as messages name it."""
        source = self._source(request)
        return f"{request.type} {request.name!r}{f' ({source})' if source else ''}"

    def _source(self, request: Any) -> str:
        """The program's own file and line among those that the SDK sent, as `file:line`.

        They come as `file://` or `project://` URIs, the nearest first; those of libraries
        lie outside of the project.
        """
        root = self._deployment.root.rstrip("/") + "/"
        frames = request.stackTrace.frames if hasattr(request, "stackTrace") else ()
        for position in (getattr(request, "sourcePosition", None), *(f.pc for f in frames)):
            path = unquote(position.uri.partition("://")[2]) if position else ""
            if path.startswith(root) and "node_modules" not in path:
                return f"{path.removeprefix(root)}:{position.line}"
        return ""

    def _refuse_depth(self, request: Any) -> Any:
        registered = hasattr(request, "sourcePosition") and request.name
        called = self._called(request) if registered else "a value"
        raise policy.refuse_value(called, structs.too_deep())

    def _urn(self, request: Any, called: str) -> str:
        """The URN, with the types of all parents. Source: `sdk/go/common/resource/urn/urn.go`."""
        with self._lock:
            urn = self._urn_of(request)
            if urn in self._types:
                raise Refusal(
                    f"{called} is there twice, by type and name", "give each resource its own name"
                )
            self._types[urn] = self._qualified_type(request)
            return urn

    def _urn_of(self, request: Any) -> str:
        stack, project = self._deployment.stack, self._deployment.project
        return f"urn:pulumi:{stack}::{project}::{self._qualified_type(request)}::{request.name}"

    def _qualified_type(self, request: Any) -> str:
        parent = self._types.get(request.parent, _STACK)
        return request.type if parent == _STACK else f"{parent}${request.type}"


def _read(struct: Any, called: str) -> dict[str, Any]:
    """The properties of what is `called` so. Raises Refusal for a value that none can have."""
    try:
        return structs.from_struct(struct)
    except structs.UncarriedError as error:
        raise policy.refuse_value(called, error) from None
