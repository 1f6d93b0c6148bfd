import pulumi
import pulumi_kubernetes as k8s

k8s.core.v1.Pod(
    "web",
    spec={"containers": [{"name": "web", "image": "web:1"}]},
    opts=pulumi.ResourceOptions(ignore_changes=["spec.containers[*].image"]),
)
