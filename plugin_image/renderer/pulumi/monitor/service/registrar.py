"""RegisterResource: what becomes of each kind of resource that a program registers."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

from pulumi.runtime.proto import resource_pb2

from .. import policy
from ..errors import MonitorError, Refusal
from ..plugin.packages import Packages
from ..plugin.plugins import Constructed, Fields, Plugin, Plugins
from ..recording import Registration, Release, Report
from ..resources import objects
from ..resources.inheritance import Inheritance, inherited
from ..resources.names import Name, Names
from ..resources.order import Order
from ..resources.providers import Provider, Providers
from ..resources.registry import Registry
from ..run_context import RunContext
from ..values import shapes, structs, wire
from . import releases
from .releases import Part
from .transforms import Transforms

if TYPE_CHECKING:
    from pulumi.runtime.proto.provider_pb2 import CallResponse, ConstructResponse
    from pulumi.runtime.proto.resource_pb2 import (
        RegisterPackageRequest,
        RegisterResourceRequest,
        RegisterResourceResponse,
        ResourceCallRequest,
    )

    from .keyed import KeyedResources

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
        packages: Packages,
        transforms: Transforms,
        report: Report,
    ) -> None:
        self._context = context
        self._registry = registry
        self._names = names
        self._providers = providers
        self._plugins = plugins
        self._packages = packages
        self._transforms = transforms
        self._report = report
        self._keyed = _keyed(context, names, report)
        self._inheritance = Inheritance()
        self._order = Order()
        self._lock = threading.Lock()
        self._registered = 0
        self._extensions: set[str] = set()
        self._left_out: dict[str, str] = {}
        self._components: set[str] = set()

    def extend(self, request: RegisterPackageRequest) -> None:
        """Take the types of a package for Kubernetes objects, if it adds kinds to their provider.

        Source: pulumi-kubernetes `provider/pkg/provider/provider_parameterize.go`.
        """
        if policy.is_kubernetes(request.name):
            added = (getattr(request, field, None) for field in ("parameterization", "extension"))
            with self._lock:
                self._extensions.update(part.name for part in added if part and part.name)

    def register(self, request: RegisterResourceRequest) -> RegisterResourceResponse:
        """Record an object; answer with what a deployment would have made of it.

        Raises MonitorError, and Refusal for what is never rendered.
        """
        called = self._registry.called(request)
        self._inheritance.apply(request)
        self._transforms.apply(request, called)
        self._inheritance.apply_to_component(request)
        if request.remote:
            return self._construct(request)
        policy.require_options(request, called)
        urn = self._registry.add(request, called)
        self._registry.place(urn, request)
        self._order.add(urn, request)
        self._report_component(urn, request, called)
        self._inheritance.remember(urn, request)
        self._names.register(urn, request, called)
        self._transforms.add_for_children(urn, request)
        is_object = policy.is_kubernetes(request.type) or self._is_extension(request.type)
        if request.custom and not is_object:
            self._order.lead_on(urn, request)
        if not request.custom:
            response = self._echo(request, called)
        elif request.type.startswith(_PROVIDERS):
            response = self._register_provider(urn, request)
        elif policy.is_release(request.type):
            response = self._register_release(urn, request, called)
        elif is_object:
            response = self._register_object(urn, request, called)
        elif self._keyed and self._keyed.make(request.type):
            response = self._keyed.register(urn, request, called)
        else:
            response = self._leave_out(urn, request, called)
        response.urn = urn
        self._registry.keep(urn, response.id, response.object)
        return response

    def _report_component(self, urn: str, request: RegisterResourceRequest, called: str) -> None:
        """Tell of a chart or the like that the program's SDK makes, and that it has something."""
        if request.parent in self._components:
            self._components.discard(request.parent)
            self._report({"filled": request.parent})
        if not request.custom and policy.is_kubernetes(request.type):
            self._components.add(urn)
            self._report({"component": (urn, called)})

    def _echo(self, request: RegisterResourceRequest, called: str) -> RegisterResourceResponse:
        """A component: what it was given is its state."""
        policy.read(request.object, called)
        response = resource_pb2.RegisterResourceResponse()
        response.object.CopyFrom(request.object)
        return response

    def _register_provider(
        self, urn: str, request: RegisterResourceRequest
    ) -> RegisterResourceResponse:
        """A provider of any package; none is contacted."""
        package = request.type.removeprefix(_PROVIDERS)
        if policy.is_kubernetes(package) or self._is_extension(package):
            self._providers.add(urn, request)
        response = resource_pb2.RegisterResourceResponse(id=shapes.PROVIDER_ID)
        response.object.CopyFrom(request.object)
        return response

    def _is_extension(self, token: str) -> bool:
        """Whether a type belongs to a package that adds kinds to the Kubernetes provider."""
        return policy.package_of(token) in self._extensions

    def _leave_out(
        self, urn: str, request: RegisterResourceRequest, called: str
    ) -> RegisterResourceResponse:
        """Something other than a Kubernetes object, which is refused in the end or ignored.

        The program goes on, so that all of them are known.
        """
        if self._context.ignore_foreign:
            self._left_out[urn] = called
            self._report({"left_out": (urn, called)})
        else:
            self._report({"foreign": (policy.package_of(request.type), called)})
        response = resource_pb2.RegisterResourceResponse()
        if hasattr(response, "unknown"):
            response.unknown = True
        else:
            self._report({"unknown_lost": True})
        response.object.CopyFrom(request.object)
        return response

    def _register_object(
        self, urn: str, request: RegisterResourceRequest, called: str
    ) -> RegisterResourceResponse:
        manifest = policy.read(request.object, called)
        policy.require_group(request.type, called)
        objects.complete_kind(request.type, manifest)
        policy.refuse_patch(request.type, manifest, called)
        self._require_types(request, manifest)
        provider = self._providers.of(request.provider, called)
        if objects.is_list(request.type):
            return self._register_list(urn, request, manifest, called)
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

    def _require_types(self, request: RegisterResourceRequest, manifest: objects.Manifest) -> None:
        """Raise Refusal for an object of a component with which the code that makes it hangs."""
        component = self._registry.component(request.parent)
        if component:
            # Imported here: few programs have components of the Kubernetes package.
            from ..resources import field_types

            problem = field_types.problem(manifest)
            if problem:
                source = self._registry.source(request.parent)
                raise policy.refuse_type(manifest, component, source, problem)

    def _register_list(
        self, urn: str, request: RegisterResourceRequest, manifest: objects.Manifest, called: str
    ) -> RegisterResourceResponse:
        """The objects of a list, which is none itself."""
        found = objects.items(request.type, manifest)
        if found is None:
            raise policy.refuse_items(called)
        provider = self._providers.of(request.provider, called)
        self._order.construct(urn, request)
        for number, item in enumerate(found):
            objects.complete_names(item, name=None, namespace=provider.namespace)
            name = objects.identifier(item) or str(number)
            ignored = tuple(objects.paths_of_item(request.ignoreChanges, number))
            self._register_part(urn, request, Part(name, item, ignored=ignored), provider)
        response = resource_pb2.RegisterResourceResponse(id=request.name)
        state = objects.outputs_of_list(manifest, found, secret=request.additionalSecretOutputs)
        structs.into_struct(state, response.object)
        return response

    def _register_release(
        self, urn: str, request: RegisterResourceRequest, called: str
    ) -> RegisterResourceResponse:
        """A Helm release, and with it all that its chart makes."""
        if self._context.refuse_releases:
            raise policy.refuse_release(called)
        inputs = policy.read(request.object, called)
        policy.require_followed(inputs, called, self._context.unreadable)
        releases.require_renderable(inputs, request.ignoreChanges, called)
        self._require_known(request, inputs, called)
        provider = self._providers.of(request.provider, called)
        name = self._release_name(urn, request, inputs, called)
        plain = wire.plain(inputs)
        namespace = str(
            plain.get("namespace") or wire.plain(provider.namespace) or self._context.namespace
        )
        place = {"name": str(wire.plain(name.text)), "namespace": namespace}
        release = self._record_release(urn, request, inputs, name)
        released = self._plugins.of(provider).release({**plain, **place}, called)
        self._order.construct(urn, request)
        for part in releases.parts({**plain, **place}, released):
            self._register_part(urn, request, part, provider)
        self._report({"note": releases.note(release, plain, released)})
        state = releases.outputs(request.type, inputs, released, index=release.index, **place)
        response = resource_pb2.RegisterResourceResponse(id="{namespace}/{name}".format(**place))
        structs.into_struct(state, response.object)
        return response

    def _release_name(
        self, urn: str, request: RegisterResourceRequest, inputs: dict[str, wire.Json], called: str
    ) -> Name:
        """The name that the program gives a release, or else as any object gets one."""
        given = inputs.get("name")
        if wire.reveal(given):
            return Name(given)
        unnamed = {"apiVersion": "helm.sh/v3", "kind": "Release"}
        provider = self._providers.of(request.provider, called)
        name = self._names.decide(
            urn, request, unnamed, called=called, provider=provider, replaced_with=()
        )
        if not wire.reveal(name.text):
            raise Refusal(f"{called} has no name, and pulumi:autonaming gives none", "give it one")
        return name

    def _record_release(
        self, urn: str, request: RegisterResourceRequest, inputs: dict[str, wire.Json], name: Name
    ) -> Release:
        with self._lock:
            release = Release(
                urn=urn,
                type=request.type,
                name=request.name,
                inputs=inputs,
                index=self._registered,
                source=self._registry.source(urn),
                auto_name=name.auto,
                live_key=name.live_key,
            )
            self._add(release)
        return release

    def _register_part(
        self, urn: str, request: RegisterResourceRequest, part: Part, provider: Provider
    ) -> None:
        """An object of a release or a list, which is no resource: no transform sees it."""
        objects.mark_namespace(part.manifest, provider.namespace)
        child = resource_pb2.RegisterResourceRequest(
            type=objects.type_of(part.manifest),
            name=f"{request.name}:{part.name}",
            parent=urn,
            custom=True,
            ignoreChanges=part.ignored,
            **inherited(request),
        )
        if part.kept:
            child.retainOnDelete = True
        self._require_types(child, part.manifest)
        child_urn = self._registry.add(child, self._registry.called(child))
        self._registry.place(child_urn, child)
        self._order.add(child_urn, child)
        self._record(
            child_urn, child, part.manifest, Name(), provider, unless_given=part.unless_given
        )

    def _record(
        self,
        urn: str,
        request: RegisterResourceRequest,
        manifest: objects.Manifest,
        name: Name,
        provider: Provider,
        *,
        unless_given: bool = False,
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
                unless_given=unless_given,
            )
            self._add(registration)
        return registration

    def _add(self, recorded: Registration | Release) -> None:
        """Report what has the next number, under the lock."""
        self._registered += 1
        if self._keyed:
            self._keyed.remember(recorded)
        self._report(recorded.event())

    def call(self, request: ResourceCallRequest) -> CallResponse:
        """What a method of a package's component gives. Raises MonitorError, and Refusal."""
        called = f"the method {request.tok}"
        given = policy.read(request.args, called)
        policy.require_followed(given, called, self._context.unreadable)
        return self._packages.call(request, self._fields())

    def _construct(self, request: RegisterResourceRequest) -> RegisterResourceResponse:
        """A component that others make: the Kubernetes provider, or a package's own code."""
        called = self._registry.called(request)
        of_package = policy.package_of(request.type) in self._packages
        if not of_package and not policy.is_kubernetes(request.type):
            raise policy.refuse_component(
                called, self._context.sources.get(policy.package_of(request.type), "")
            )
        given = policy.read(request.object, called)
        policy.require_followed(given, called, self._context.unreadable)
        self._transforms.hand_over(request)
        urn = self._registry.urn_of(request)
        self._registry.place(urn, request)
        self._order.construct(urn, request)
        with self._registry.made_by_others(urn):
            if of_package:
                made = self._packages.construct(request, self._fields(), called)
            else:
                made = self._chart(request, called)
        response = resource_pb2.RegisterResourceResponse(urn=made.urn)
        response.object.CopyFrom(made.state)
        for name, part in made.stateDependencies.items():
            response.propertyDependencies[name].urns.extend(part.urns)
        self._registry.keep(response.urn, "", response.object)
        return response

    def _chart(self, request: RegisterResourceRequest, called: str) -> ConstructResponse:
        """What the Kubernetes provider makes of a chart, YAML or a kustomization, all of it."""
        provider = request.provider or request.providers.get(policy.KUBERNETES, "")
        inputs = wire.as_values(structs.from_struct(request.object))
        self._require_known(request, inputs, called)
        self._report({"given": inputs})
        request.ClearField("object")
        structs.into_struct(inputs, request.object)
        made = self._constructed(
            self._plugins.of(self._providers.of(provider, called)), request, called
        )
        children = self._registry.children(made.response.urn)
        if made.children not in (None, children):
            raise policy.refuse_lost(called, made.children, children)
        if made.note:
            self._report({"note": made.note})
        return made.response

    def _require_known(
        self, request: RegisterResourceRequest, inputs: wire.Json, called: str
    ) -> None:
        """Raise Refusal where what the real provider is to be given was never computed."""
        urns = sorted({*request.dependencies} & self._left_out.keys())
        left_out = [self._left_out[urn] for urn in urns]
        policy.require_known(inputs, called, left_out)

    def _fields(self) -> Fields:
        """What those that make components are told of the deployment."""
        return {
            "project": self._context.project,
            "stack": self._context.stack,
            "organization": self._context.organization,
            "config": self._context.config,
            "configSecretKeys": self._context.secret_keys,
        }

    def _constructed(
        self, plugin: Plugin, request: RegisterResourceRequest, called: str
    ) -> Constructed:
        """The component, even if the provider has to learn of kinds first."""
        told: set[str] = set()
        while True:
            try:
                return plugin.construct(request, self._fields(), called)
            except MonitorError as error:
                if str(error) in told or not plugin.learn(error):
                    raise
                told.add(str(error))
                self._registry.forget(request)
                # The provider may have registered it before it failed.
                self._transforms.hand_over(request)


def _keyed(context: RunContext, names: Names, report: Report) -> KeyedResources | None:
    """What makes values from the Application's key; None where there is none."""
    if not context.random_key:
        return None
    # Imported here: few Applications have one.
    from .keyed import KeyedResources

    return KeyedResources(context, names, report)
