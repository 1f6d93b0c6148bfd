import pulumi
import pulumi_kubernetes as k8s

k8s.core.v1.ConfigMap("settings", data={})
pulumi.log.error("the colour is missing")
