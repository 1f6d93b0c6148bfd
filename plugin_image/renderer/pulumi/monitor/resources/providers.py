"""Kubernetes provider resources: the namespace of their objects, the cluster, and how they change.

None is contacted, so clusters are told apart by what providers are given, just as the provider
decides whether its cluster has changed: by `clusterIdentifier`, else by the entry
that the current context of the kubeconfig leads to, else by the inputs as they are. That context
may name a namespace, too. Source: pulumi-kubernetes `provider/pkg/provider/provider.go`
(DiffConfig, Configure), `util.go`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import Refusal
from ..recording import UNREADABLE
from ..values import structs, unreadable, wire

if TYPE_CHECKING:
    from pulumi.runtime.proto.resource_pb2 import RegisterResourceRequest

DEFAULT = "default"
"""What the provider of objects without one is called."""

_INPUTS = ("kubeconfig", "context", "cluster")

_MUTABLE = {"ConfigMap": "enableConfigMapMutable", "Secret": "enableSecretMutable"}

_DISABLED = "pulumi:disable-default-providers"

_NAMESPACE = "kubernetes:"
"""Of the provider's own keys in the configuration."""


@dataclass(frozen=True)
class Provider:
    """A provider, as far as it matters to a render."""

    name: str
    namespace: wire.Json = None
    """The namespace of objects that name none, with its mark if it is secret."""
    cluster: str = ""
    """Differs from cluster to cluster; empty where the inputs name none. It tells no secret."""
    mutable: frozenset[str] = frozenset()
    """Kinds whose data it changes in place, rather than make a new object."""


def provider(
    name: str, inputs: Mapping[str, Any], origins: Mapping[str, Sequence[str]] | None = None
) -> Provider:
    """The provider of that name with these inputs, in wire form.

    `origins` are the URNs of the resources that an input was computed from: where its value
    is not known, it is the same as another one of the same origin.
    """
    kubeconfig = _parsed(wire.plain(inputs.get("kubeconfig")))
    context = wire.reveal(inputs.get("context")) or kubeconfig.get("current-context")
    named = _entry(kubeconfig.get("contexts"), context, "context")
    cluster = _entry(
        kubeconfig.get("clusters"),
        wire.reveal(inputs.get("cluster")) or named.get("cluster"),
        "cluster",
    )
    return Provider(
        name=name,
        namespace=_namespace(inputs.get("namespace")) or _namespace(named.get("namespace")),
        cluster=_cluster(inputs, cluster, origins or {}),
        mutable=frozenset(kind for kind, option in _MUTABLE.items() if _is_on(inputs.get(option))),
    )


def default_provider(config: Mapping[str, str], secret_keys: Collection[str]) -> Provider:
    """The provider of objects without one, as the stack's configuration sets it up."""
    inputs = {
        key.removeprefix(_NAMESPACE): wire.secret(value) if key in secret_keys else value
        for key, value in config.items()
        if key.startswith(_NAMESPACE)
    }
    return provider(DEFAULT, inputs)


class Providers:
    """The provider resources of one program. Thread-safe."""

    def __init__(self, config: Mapping[str, str], secret_keys: Collection[str]) -> None:
        """The configuration sets up the provider of objects without one, or disables it."""
        self._default = default_provider(config, secret_keys)
        self._disabled = config.get(_DISABLED, "")
        self._of: dict[str, Provider] = {}

    def add(self, urn: str, request: RegisterResourceRequest) -> None:
        """Remember a Kubernetes provider, which says where its objects go to."""
        origins = {key: part.urns for key, part in request.propertyDependencies.items()}
        self._of[urn] = provider(request.name, structs.from_struct(request.object), origins)

    def of(self, reference: str, called: str) -> Provider:
        """The provider that a reference `urn::id` names, or the default one.

        Raises Refusal for what is `called` so where that is disabled.
        """
        if not reference:
            if _names_kubernetes(self._disabled):
                raise Refusal(
                    f"{called} names no provider, and {_DISABLED} wants it to",
                    "give it the option `provider`, or its component `providers`",
                )
            return self._default
        return self._of.get(reference.rpartition("::")[0], Provider(reference))


def _names_kubernetes(disabled: str) -> bool:
    """Whether a list of packages in JSON, or nothing, has that of Kubernetes or all of them.

    Source: pulumi/pulumi `pkg/resource/deploy/default_providers.go`, shouldDenyRequest.
    """
    try:
        packages = json.loads(disabled or "[]")
    except ValueError:
        packages = None
    if not isinstance(packages, list):
        raise Refusal(f"{_DISABLED} is not a list", "list the names of packages there, or `*`")
    return not {"*", "kubernetes"}.isdisjoint(str(package).strip() for package in packages)


def _is_on(given: wire.Json) -> bool:
    """Whether an option is on; SDKs write it as a string."""
    return wire.reveal(given) in (True, "true")


def _namespace(given: wire.Json) -> wire.Json:
    namespace = str(wire.reveal(given) or "") or None
    return wire.secret(namespace) if namespace and wire.is_secret(given) else namespace


def _cluster(
    inputs: Mapping[str, Any], entry: Mapping[str, Any], origins: Mapping[str, Sequence[str]]
) -> str:
    """What tells the cluster; `entry` is what the kubeconfig says of it, as far as it is seen."""
    identifier = wire.reveal(inputs.get("clusterIdentifier"))
    if identifier:
        return _marked({"identifier": identifier})
    given = {}
    for key in _INPUTS:
        value = wire.plain(inputs.get(key))
        if value == wire.UNKNOWN:
            given[key] = {"from": sorted(origins.get(key, ()))}
        elif value:
            given[key] = value
    return _marked(entry or given) if given else ""


def _marked(named: Mapping[str, Any]) -> str:
    """What differs from cluster to cluster, with a mark where that cannot be told."""
    return ("" if unreadable.find_in(named) is None else UNREADABLE) + _digest(named)


def _parsed(kubeconfig: wire.Json) -> Mapping[str, Any]:
    """A kubeconfig that is given as a mapping or a string; that may be a file's path as well."""
    if isinstance(kubeconfig, Mapping):
        return kubeconfig
    if not isinstance(kubeconfig, str):
        return {}
    # Imported here: most programs have no kubeconfig.
    from .... import kubernetes_yaml

    try:
        documents = kubernetes_yaml.parse_all(kubeconfig.encode())
    except ValueError:
        return {}
    return documents[0] if documents and isinstance(documents[0], Mapping) else {}


def _entry(entries: wire.Json, name: wire.Json, kind: str) -> Mapping[str, Any]:
    """The `kind` of that name in a list of a kubeconfig, empty where there is none."""
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, Mapping) and entry.get("name") == name:
            found = entry.get(kind)
            return found if isinstance(found, Mapping) else {}
    return {}


def _digest(value: wire.Json) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]
