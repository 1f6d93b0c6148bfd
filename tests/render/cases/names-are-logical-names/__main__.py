import pulumi
import pulumi_kubernetes as k8s

k8s.core.v1.Namespace("team")
k8s.core.v1.ConfigMap("named", metadata={"name": "explicit"}, data={})
k8s.core.v1.ConfigMap("unnamed", data={})
