import pulumi
import pulumi_kubernetes as k8s

k8s.core.v1.ConfigMap(
    "settings",
    metadata={"name": "settings"},
    data={"a": "1"},
    opts=pulumi.ResourceOptions(ignore_changes=['data["a']),
)
