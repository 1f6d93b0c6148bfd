"""Which kinds come with Kubernetes, and which of them are cluster-scoped.

No schema that SDKs ship says which. Source: the API references of Kubernetes 1.34, and of earlier
versions for what it no longer has. A kind of a custom resource counts as namespaced, as most are.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

_BUILT_IN_GROUPS: Final = frozenset(
    {
        "",
        "admissionregistration.k8s.io",
        "apiextensions.k8s.io",
        "apiregistration.k8s.io",
        "apps",
        "authentication.k8s.io",
        "authorization.k8s.io",
        "autoscaling",
        "batch",
        "certificates.k8s.io",
        "coordination.k8s.io",
        "discovery.k8s.io",
        "events.k8s.io",
        "extensions",
        "flowcontrol.apiserver.k8s.io",
        "internal.apiserver.k8s.io",
        "networking.k8s.io",
        "node.k8s.io",
        "policy",
        "rbac.authorization.k8s.io",
        "resource.k8s.io",
        "scheduling.k8s.io",
        "storage.k8s.io",
        "storagemigration.k8s.io",
    }
)

_CLUSTER_SCOPED: Final = frozenset(
    {
        ("", "ComponentStatus"),
        ("", "Namespace"),
        ("", "Node"),
        ("", "PersistentVolume"),
        ("admissionregistration.k8s.io", "MutatingAdmissionPolicy"),
        ("admissionregistration.k8s.io", "MutatingAdmissionPolicyBinding"),
        ("admissionregistration.k8s.io", "MutatingWebhookConfiguration"),
        ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy"),
        ("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding"),
        ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"),
        ("apiextensions.k8s.io", "CustomResourceDefinition"),
        ("apiregistration.k8s.io", "APIService"),
        ("auditregistration.k8s.io", "AuditSink"),
        ("certificates.k8s.io", "CertificateSigningRequest"),
        ("certificates.k8s.io", "ClusterTrustBundle"),
        ("extensions", "PodSecurityPolicy"),
        ("flowcontrol.apiserver.k8s.io", "FlowSchema"),
        ("flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration"),
        ("internal.apiserver.k8s.io", "StorageVersion"),
        ("networking.k8s.io", "ClusterCIDR"),
        ("networking.k8s.io", "IPAddress"),
        ("networking.k8s.io", "IngressClass"),
        ("networking.k8s.io", "ServiceCIDR"),
        ("node.k8s.io", "RuntimeClass"),
        ("policy", "PodSecurityPolicy"),
        ("rbac.authorization.k8s.io", "ClusterRole"),
        ("rbac.authorization.k8s.io", "ClusterRoleBinding"),
        ("resource.k8s.io", "DeviceClass"),
        ("resource.k8s.io", "DeviceTaintRule"),
        ("resource.k8s.io", "ResourceClass"),
        ("resource.k8s.io", "ResourceSlice"),
        ("scheduling.k8s.io", "PriorityClass"),
        ("storage.k8s.io", "CSIDriver"),
        ("storage.k8s.io", "CSINode"),
        ("storage.k8s.io", "StorageClass"),
        ("storage.k8s.io", "VolumeAttachment"),
        ("storage.k8s.io", "VolumeAttributesClass"),
        ("storagemigration.k8s.io", "StorageVersionMigration"),
    }
)


def group_of(api_version: str) -> str:
    """The API group: `apps` of `apps/v1`, empty for `v1`."""
    return api_version.rpartition("/")[0]


def is_namespaced(api_version: str, kind: str) -> bool:
    """Whether objects of the kind live in a namespace."""
    return (group_of(api_version), kind) not in _CLUSTER_SCOPED


def cluster_scoped(manifests: Iterable[Mapping[str, Any]]) -> set[tuple[str, str]]:
    """The groups and kinds that definitions among these objects say have no namespace."""
    found = set()
    for manifest in manifests:
        spec = manifest.get("spec")
        is_definition = manifest["kind"] == "CustomResourceDefinition"
        if is_definition and isinstance(spec, Mapping) and spec.get("scope") == "Cluster":
            names = spec.get("names")
            kind = names.get("kind") if isinstance(names, Mapping) else None
            found.add((str(spec.get("group")), str(kind)))
    return found


def is_custom(api_version: str) -> bool:
    """Whether the group is none of those that come with Kubernetes.

    Others that end in `.k8s.io`, as gateway.networking.k8s.io, belong to custom resources.
    """
    return group_of(api_version) not in _BUILT_IN_GROUPS
