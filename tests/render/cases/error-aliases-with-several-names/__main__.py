import pulumi
import pulumi_kubernetes as k8s

k8s.core.v1.ConfigMap(
    "newest",
    data={"a": "1"},
    opts=pulumi.ResourceOptions(aliases=[pulumi.Alias(name="newer"), pulumi.Alias(name="new")]),
)
