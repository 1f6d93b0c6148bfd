import pulumi
import pulumi_kubernetes as k8s

namespace = k8s.core.v1.Namespace("operators", metadata={"labels": {"team": "platform"}})
account = k8s.core.v1.ServiceAccount(
    "operator",
    metadata={"namespace": namespace.metadata.name},
    image_pull_secrets=[{"name": "registry"}],
    automount_service_account_token=False,
)
role = k8s.rbac.v1.Role(
    "operator",
    metadata={"namespace": namespace.metadata.name},
    rules=[
        {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list", "watch"]},
        {"apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["*"]},
    ],
)
cluster_role = k8s.rbac.v1.ClusterRole(
    "operator",
    rules=[{"nonResourceURLs": ["/metrics"], "verbs": ["get"]}],
    aggregation_rule={"clusterRoleSelectors": [{"matchLabels": {"aggregate": "yes"}}]},
)
subject = k8s.rbac.v1.SubjectArgs(
    kind="ServiceAccount",
    name=account.metadata.name,
    namespace=account.metadata.namespace,
)
k8s.rbac.v1.RoleBinding(
    "operator",
    metadata={"namespace": namespace.metadata.name},
    role_ref=k8s.rbac.v1.RoleRefArgs(
        api_group="rbac.authorization.k8s.io", kind="Role", name=role.metadata.name
    ),
    subjects=[subject],
)
k8s.rbac.v1.ClusterRoleBinding(
    "operator",
    role_ref={
        "api_group": "rbac.authorization.k8s.io",
        "kind": cluster_role.kind,
        "name": cluster_role.metadata.name,
    },
    subjects=[subject],
)
pulumi.export("account", account.id)
