"""Fields of a set of objects that controllers write, though the program gives them a value.

`pulumi up` compares with what it applied last and leaves them alone; Argo CD compares with the
live object and resets them. Only fields that a program gives are of that kind: neither
compares what is in the cluster alone. Sources: the API references of Kubernetes, KEDA, Flagger,
cert-manager (`pkg/controller/cainjector`), OpenShift's service CA operator and the Cluster API.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from .. import kinds
from ..manifests import Manifest
from .property_path import WILDCARD, Path

_REPLICAS: Final = ("spec", "replicas")
_TARGET: Final = "scaleTargetRef"
"""In the spec of whatever scales: HorizontalPodAutoscaler, ScaledObject, MachineAutoscaler."""

_OTHER_TARGETS: Final = {("flagger.app", "Canary"): "targetRef"}
"""What also scales a target, but under another name."""

_SCALED_BY_NODES: Final = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size"
"""The annotation by which the cluster autoscaler scales machines of the Cluster API."""

_INJECTIONS: Final = (
    "cert-manager.io/inject-apiserver-ca",
    "cert-manager.io/inject-ca-from",
    "cert-manager.io/inject-ca-from-secret",
    "service.beta.openshift.io/inject-cabundle",
)
"""Annotations that have a controller inject a certificate."""

_WEBHOOKS: Final[Path] = ("webhooks", WILDCARD, "clientConfig", "caBundle")
_CERTIFICATES: Final[Mapping[tuple[str, str], Path]] = {
    ("admissionregistration.k8s.io", "MutatingWebhookConfiguration"): _WEBHOOKS,
    ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"): _WEBHOOKS,
    ("apiextensions.k8s.io", "CustomResourceDefinition"): (
        *("spec", "conversion", "webhook", "clientConfig", "caBundle"),
    ),
    ("apiregistration.k8s.io", "APIService"): ("spec", "caBundle"),
}
"""And where."""


Targets = Mapping[tuple[str, str, str], set[str | None]]
"""The kind, namespace and name of what autoscalers scale, and its groups: None for any."""


def scaled(manifests: Iterable[Manifest], default_namespace: str) -> Targets:
    """The targets of the autoscalers in a set of objects."""
    targets: dict[tuple[str, str, str], set[str | None]] = {}
    for manifest in manifests:
        spec = manifest.get("spec")
        reference = _OTHER_TARGETS.get(_kind_of(manifest), _TARGET)
        target = spec.get(reference) if isinstance(spec, Mapping) else None
        if isinstance(target, Mapping):
            # KEDA's default.
            kind = str(target.get("kind") or "Deployment")
            place = kind, _namespace(manifest, default_namespace), str(target.get("name"))
            targets.setdefault(place, set()).add(_group(target.get("apiVersion")))
    return targets


def fields(manifest: Manifest, targets: Targets, default_namespace: str) -> Iterator[Path]:
    """The fields of an object that a controller writes: `targets` are those of the whole set."""
    metadata = manifest["metadata"]
    annotations = metadata.get("annotations") or {}
    group, kind = _kind_of(manifest)
    place = kind, _namespace(manifest, default_namespace), metadata["name"]
    if _SCALED_BY_NODES in annotations or targets.get(place, set()) & {group, None}:
        yield _REPLICAS
    if (group, kind) in _CERTIFICATES and any(name in annotations for name in _INJECTIONS):
        yield _CERTIFICATES[group, kind]
    # The control plane fills in the rules of such a role from those of others.
    is_role = (group, kind) == ("rbac.authorization.k8s.io", "ClusterRole")
    if is_role and manifest.get("aggregationRule"):
        yield ("rules",)


def _group(api_version: object) -> str | None:
    """The group that an autoscaler names, or None where it names none."""
    named = isinstance(api_version, str) and api_version
    return kinds.group_of(str(api_version)) if named else None


def _kind_of(manifest: Manifest) -> tuple[str, str]:
    return kinds.group_of(manifest["apiVersion"]), manifest["kind"]


def _namespace(manifest: Manifest, default_namespace: str) -> str:
    return manifest["metadata"].get("namespace") or default_namespace
