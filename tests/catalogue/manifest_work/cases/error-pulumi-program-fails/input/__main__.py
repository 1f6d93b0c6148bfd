import pulumi
import pulumi_kubernetes as k8s

config = pulumi.Config()
k8s.core.v1.Namespace("shop")
k8s.core.v1.ConfigMap("settings", metadata={"namespace": "shop"}, data={"size": config.require("size")})
raise ValueError("no such colour")
