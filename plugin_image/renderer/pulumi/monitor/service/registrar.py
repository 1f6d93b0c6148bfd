"""RegisterResource: what becomes of each kind of resource that a program registers."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

from pulumi.runtime.proto import resource_pb2

from .. import policy
from ..errors import MonitorError, Refusal
from ..plugin.plugins import Constructed, Fields, Plugin, Plugins
from ..recording import Registration, Report
from ..resources import objects
from ..resources.inheritance import Inheritance
from ..resources.names import Name, Names
from ..resources.order import Order
from ..resources.providers import Provider, Providers
from ..resources.registry import Registry
from ..run_context import RunContext
from ..values import structs
from .transforms import Transforms

if TYPE_CHECKING:
    from pulumi.runtime.proto.resource_pb2 import RegisterResourceRequest, RegisterResourceResponse

_STASH: Final = "pulumi:index:Stash"
_PROVIDERS: Final = "pulumi:providers:"


class Registrar:
    """Registers the resources of one program. Thread-safe."""

    def __init__(
        self,
        context: RunContext,
        registry: Registry,
        names: Names,
        *,
        providers: Providers,
        plugins: Plugins,
        transforms: Transforms,
        report: Report,
    ) -> None:
        self._context = context
        self._registry = registry
        self._names = names
        self._providers = providers
        self._plugins = plugins
        self._transforms = transforms
        self._report = report
        self._inheritance = Inheritance()
        self._order = Order()
        self._lock = threading.Lock()
        self._registered = 0

    def register(self, request: RegisterResourceRequest) -> RegisterResourceResponse:
        """Record an object; answer with what a deployment would have made of it.

        Raises MonitorError, and Refusal for what is never rendered.
        """
        self._inheritance.apply(request)
        self._transforms.apply(request)
        if request.remote:
            return self._construct(request)
        called = self._registry.called(request)
        urn = self._registry.add(request, called)
        self._registry.place(urn, request)
        self._order.add(urn, request)
        self._inheritance.remember(urn, request)
        self._names.register(urn, request, called)
        self._transforms.add_for_children(urn, request)
        if not request.custom or request.type == _STASH:
            response = self._echo(request, called)
        elif request.type.startswith(_PROVIDERS):
            response = self._register_provider(urn, request)
        elif policy.is_kubernetes(request.type):
            response = self._register_object(urn, request, called)
        else:
            response = self._leave_out(request, called)
        response.urn = urn
        self._registry.keep(urn, response.id, response.object)
        return response

    def _echo(self, request: RegisterResourceRequest, called: str) -> RegisterResourceResponse:
        """Components, and values that the program stashes: what they were given is their state."""
        policy.read(request.object, called)
        response = resource_pb2.RegisterResourceResponse()
        response.object.CopyFrom(request.object)
        if request.type == _STASH:
            response.id = request.name
            response.object.fields["output"].CopyFrom(request.object.fields["input"])
        return response

    def _register_provider(
        self, urn: str, request: RegisterResourceRequest
    ) -> RegisterResourceResponse:
        """A provider of any package; none is contacted."""
        if policy.is_kubernetes(request.type.removeprefix(_PROVIDERS)):
            self._providers.add(urn, request)
        # A reference to it is `urn::id`, and its name may be anything.
        response = resource_pb2.RegisterResourceResponse(id=request.name.replace(":", "-"))
        response.object.CopyFrom(request.object)
        return response

    def _leave_out(self, request: RegisterResourceRequest, called: str) -> RegisterResourceResponse:
        """Something other than a Kubernetes object: left out where that is asked for."""
        if not self._context.ignore_foreign:
            raise policy.refuse_non_kubernetes(called)
        response = resource_pb2.RegisterResourceResponse()
        if hasattr(response, "unknown"):
            response.unknown = True
        response.object.CopyFrom(request.object)
        return response

    def _register_object(
        self, urn: str, request: RegisterResourceRequest, called: str
    ) -> RegisterResourceResponse:
        policy.refuse_release(request.type, called)
        manifest = policy.read(request.object, called)
        objects.complete_kind(request.type, manifest)
        policy.refuse_partial(request.type, manifest, called)
        provider = self._providers.of(request.provider)
        name = self._names.decide(
            urn,
            request,
            manifest,
            called=called,
            provider=provider,
            replaced_with=self._registry.ids(getattr(request, "replace_with", ())),
        )
        objects.complete_names(manifest, name=name.text, namespace=provider.namespace)
        registration = self._record(urn, request, manifest, name, provider)
        state = objects.outputs(
            request.type,
            registration.index,
            manifest,
            namespace=self._context.namespace,
            secret=request.additionalSecretOutputs,
        )
        response = resource_pb2.RegisterResourceResponse(id=objects.identifier(state))
        structs.into_struct(state, response.object)
        return response

    def _record(
        self,
        urn: str,
        request: RegisterResourceRequest,
        manifest: objects.Manifest,
        name: Name,
        provider: Provider,
    ) -> Registration:
        depends_on, dependencies = self._order.dependencies(request)
        self._registry.count_child(request.parent)
        with self._lock:
            registration = Registration(
                urn=urn,
                type=request.type,
                name=request.name,
                object=manifest,
                index=self._registered,
                source=self._registry.source(urn),
                component=self._registry.component(request.parent),
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
            self._report(registration.event())
        return registration

    def _construct(self, request: RegisterResourceRequest) -> RegisterResourceResponse:
        """A component that the Kubernetes provider makes of a chart, YAML or a kustomization."""
        called = self._registry.called(request)
        if not policy.is_kubernetes(request.type):
            raise Refusal(
                f"{called} is a component of another provider, which is not rendered",
                "register its resources in the program itself",
            )
        policy.read(request.object, called)
        provider = request.provider or request.providers.get(policy.KUBERNETES, "")
        self._transforms.hand_over(request)
        urn = self._registry.urn_of(request)
        self._registry.place(urn, request)
        self._order.construct(urn, request)
        made = self._constructed(self._plugins.of(self._providers.of(provider)), request, called)
        response = resource_pb2.RegisterResourceResponse(urn=made.response.urn)
        response.object.CopyFrom(made.response.state)
        self._registry.keep(response.urn, "", response.object)
        children = self._registry.children(response.urn)
        if made.children not in (None, children):
            raise policy.refuse_lost(called, made.children, children)
        return response

    def _constructed(
        self, plugin: Plugin, request: RegisterResourceRequest, called: str
    ) -> Constructed:
        """The component, even if the provider has to learn of kinds first."""
        fields: Fields = {
            "project": self._context.project,
            "stack": self._context.stack,
            "organization": self._context.organization,
            "config": self._context.config,
            "configSecretKeys": self._context.secret_keys,
        }
        told: set[str] = set()
        while True:
            try:
                return plugin.construct(request, fields, called)
            except MonitorError as error:
                if str(error) in told or not plugin.learn(error):
                    raise
                told.add(str(error))
                self._registry.forget(request)
