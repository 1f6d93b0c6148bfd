"""The real Kubernetes provider, for what only it can do: charts, YAML files, kustomizations.

It is asked for functions (`Invoke`) and components (`Construct`) and never for resources,
so it creates nothing. It needs no cluster: it sees what is known of the destination
(`discovery`) and nothing else.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import grpc
from google.protobuf.message import Message
from pulumi.runtime.proto import provider_pb2, resource_pb2

from ....launch import Serving, Start, StartError, serving
from .. import policy
from ..errors import MonitorError, Refusal, details_of
from ..resources.inheritance import inherited
from ..values import messages, structs, wire
from . import discovery, lending, providing
from .lending import Lend
from .plugins import Fields
from .program import GO_SETTINGS, PROGRAM
from .rehearsal import Rehearsal

_UNKNOWN_KIND = re.compile(r"if the following GVK is namespaced: (\S+), Kind=(\w+)")
_PASSED_ON = re.compile(
    r'^(?:marshaling properties: )?(?:awaiting input property "\w+": )?'
    r"(?:rpc error: code = \w+ desc = )?"
)
"""What the provider's SDK says before why a component has failed."""
_CHECKED = "urn:pulumi:render::render::{}::checked"
_DEFINITION = _CHECKED.format("kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition")

Inputs = Mapping[str, Any]

_Answer = TypeVar("_Answer", bound=Message)


@dataclass(frozen=True)
class PluginEnvironment:
    """Where and for what the provider runs."""

    folder: Path
    """The program's folder, which relative paths of charts and files start from."""
    env: Mapping[str, str]
    kube_version: str
    api_versions: tuple[str, ...]


class KubernetesPlugin:
    """The provider's process, started on first use. Thread-safe."""

    def __init__(
        self,
        environment: PluginEnvironment,
        *,
        namespace: str,
        endpoint: Callable[[], str],
        rehearsal: Callable[[], tuple[str, Rehearsal]],
        serving: Serving = serving,
        lend: Lend = lending.nothing,
    ) -> None:
        """`namespace` is the default one; `endpoint` serves monitor and engine, on first use.

        `rehearsal` gives a monitor without effect, and the address that serves it; `serving`
        starts the provider, unless `lend` has one for what is `self_contained`.
        """
        self.environment = environment
        self.namespace = namespace
        self._endpoint = endpoint
        self._rehearsal = rehearsal
        self._serving = serving
        self._lend = lend
        self._lock = threading.Lock()
        self._open = ExitStack()
        self._own: grpc.Channel | None = None
        self._lent: grpc.Channel | None = None
        self._has_asked = False
        self._is_as_it_was = True
        """Whether what is lent can serve another run."""

    def invoke(
        self,
        function: str,
        arguments: Mapping[str, wire.Json],
        called: str = "",
        *,
        is_self_contained: bool = False,
    ) -> provider_pb2.InvokeResponse:
        """What a function gives, which messages name as `called`, or else by its name.

        Raises Refusal without a provider, or MonitorError.
        """
        if function == "kubernetes:helm:template":
            arguments = self._with_capabilities(arguments)
        request = provider_pb2.InvokeRequest(tok=function)
        structs.into_struct(arguments, request.args)
        what = called or f"the function {function}"
        connection = self._connection(what, is_self_contained=is_self_contained)
        return self._ask("Invoke", request, provider_pb2.InvokeResponse, what, connection)

    def construct(
        self,
        request: resource_pb2.RegisterResourceRequest,
        fields: Fields,
        called: str,
        placed: Inputs | None = None,
    ) -> provider_pb2.ConstructResponse:
        """A component, which messages name as `called`; it registers its children at the endpoint.

        `fields` are those of the deployment, and `placed` are those of its inputs that make it
        self-contained, unless it is not. Raises Refusal without a provider, or MonitorError.
        """
        return self._construct(request, fields, self._endpoint(), called, placed)

    def rehearse(
        self,
        type_: str,
        inputs: Mapping[str, Any],
        called: str,
        placed: Inputs | None = None,
    ) -> int:
        """How many objects a component would register. Arguments and errors as of `construct`."""
        address, rehearsal = self._rehearsal()
        request = resource_pb2.RegisterResourceRequest(type=type_, name="rehearsal")
        structs.into_struct(inputs, request.object)
        fields: Fields = {"project": "rehearsal", "stack": "rehearsal"}
        return rehearsal.children(self._construct(request, fields, address, called, placed).urn)

    def _construct(
        self,
        request: resource_pb2.RegisterResourceRequest,
        fields: Fields,
        address: str,
        called: str,
        placed: Inputs | None,
    ) -> provider_pb2.ConstructResponse:
        connection = self._connection(called, is_self_contained=placed is not None)
        asked = provider_pb2.ConstructRequest(
            **fields,
            monitorEndpoint=address,
            type=request.type,
            name=request.name,
            parent=request.parent,
            inputs=request.object,
            providers=request.providers,
            dependencies=request.dependencies,
            **inherited(request),
        )
        if connection is self._lent:
            structs.into_struct(placed or {}, asked.inputs)
        return self._ask("Construct", asked, provider_pb2.ConstructResponse, called, connection)

    def learn(self, error: MonitorError) -> bool:
        """Whether `error` was about a kind that the provider did not know, and now may.

        It must know of every object whether its kind is namespaced. Kinds that the
        destination does not have yet count as namespaced, as they do for the monitor. The
        provider remembers the definitions that it has checked, and charts do not see them:
        what they ask `.Capabilities` for is what the destination has. Source: pulumi-kubernetes
        provider/pkg/clients/cache.go.
        """
        found = _UNKNOWN_KIND.search(str(error))
        if found is None:
            return False
        group_version, kind = found.groups()
        group, _, version = group_version.partition("/")
        definition, what = _definition(group, version, kind), f"the kind {kind}"
        for connection in filter(None, (self._own, self._lent)):
            self._check(_DEFINITION, definition, what, connection)
        return True

    def check(
        self, type_: str, inputs: Mapping[str, wire.Json], called: str
    ) -> provider_pb2.CheckResponse:
        """What the provider makes of the inputs of a resource, and what is wrong with them.

        Raises Refusal without a provider, or MonitorError.
        """
        return self._check(_CHECKED.format(type_), inputs, called)

    def close(self) -> None:
        """End the process, or give it back."""
        self._open.close()

    def _check(
        self,
        urn: str,
        inputs: Mapping[str, wire.Json],
        what: str,
        connection: grpc.Channel | None = None,
    ) -> provider_pb2.CheckResponse:
        request = provider_pb2.CheckRequest(urn=urn)
        structs.into_struct(inputs, request.news)
        return self._ask("Check", request, provider_pb2.CheckResponse, what, connection)

    def _ask(
        self,
        rpc: str,
        request: Message,
        answer: type[_Answer],
        what: str,
        connection: grpc.Channel | None = None,
    ) -> _Answer:
        """What a provider answers: that of a connection, or else one started for the run."""
        connection = connection or self._connection(what, is_self_contained=False)
        try:
            response = providing.call(connection, rpc, request, answer)
        except grpc.RpcError as error:
            # Where the folder is says nothing, and is another place each time.
            folder = os.path.realpath(self.environment.folder)
            details = _PASSED_ON.sub("", details_of(error).replace(f"{folder}/", ""))
            if connection is self._lent:
                self._is_as_it_was &= bool(_UNKNOWN_KIND.search(details))
            raise MonitorError("UNKNOWN", f"{what} failed: {details}") from error
        if isinstance(response, messages.TooDeep):
            raise policy.refuse_value(f"what comes of {what}", structs.too_deep())
        return response

    def _connection(self, what: str, *, is_self_contained: bool) -> grpc.Channel:
        """The running provider; concurrent first calls start one, or have it lent."""
        with self._lock:
            if is_self_contained and self._own is None:
                if not self._has_asked:
                    self._has_asked = True
                    self._lent = self._borrow()
                if self._lent:
                    return self._lent
            if self._own is None:
                self._own = self._start(what)
            return self._own

    def _borrow(self) -> grpc.Channel | None:
        _, _, engine = self._endpoint().rpartition(":")
        lease = self._lend(int(engine))
        if lease is None:
            return None
        self._open.callback(lambda: lease.close(is_as_it_was=self._is_as_it_was))
        channel = self._open.enter_context(providing.channel(lease.port))
        try:
            self._configure(channel)
        except grpc.RpcError:
            self._is_as_it_was = False
            return None
        return channel

    def _start(self, what: str) -> grpc.Channel:
        env = self.environment.env
        program = shutil.which(PROGRAM, path=env.get("PATH"))
        if program is None:
            raise Refusal(
                f"{what} needs Pulumi's Kubernetes provider, which is not installed",
                "use the variant of the plugin image that has it",
            )
        folder = self.environment.folder
        told = {**env, **GO_SETTINGS}
        start = Start([program, self._endpoint()], folder, told, discard_stderr=True)
        try:
            port = self._open.enter_context(self._serving(start))
        except StartError as error:
            raise MonitorError("INTERNAL", f"{PROGRAM} did not start") from error
        channel = providing.channel(port)
        self._configure(channel)
        return channel

    def _configure(self, channel: grpc.Channel) -> None:
        known = discovery.serve(self.environment.kube_version, self.environment.api_versions)
        variables = {
            "kubernetes:config:kubeconfig": self._open.enter_context(known),
            "kubernetes:config:namespace": self.namespace,
        }
        request = provider_pb2.ConfigureRequest(variables=variables)
        providing.call(channel, "Configure", request, provider_pb2.ConfigureResponse)

    def _with_capabilities(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Let a chart see the destination cluster's version and API versions, as with Argo CD."""
        given = json.loads(arguments.get("jsonOpts", "{}"))
        capabilities = {
            "kube_version": self.environment.kube_version,
            "api_versions": list(self.environment.api_versions),
        }
        missing = {key: value for key, value in capabilities.items() if not given.get(key)}
        return {**arguments, "jsonOpts": json.dumps(given | missing)}


def _definition(group: str, version: str, kind: str) -> dict[str, Any]:
    """As much of a kind's definition as says that it lives in namespaces."""
    names = {"kind": kind, "plural": f"{kind.lower()}s"}
    versions = [{"name": version, "served": True, "storage": True}]
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{names['plural']}.{group}"},
        "spec": {"group": group, "names": names, "scope": "Namespaced", "versions": versions},
    }
