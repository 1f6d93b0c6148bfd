import pulumi
import pulumi_kubernetes as k8s

k8s.core.v1.ConfigMap("one", data={"a": "1"})
k8s.core.v1.ConfigMap("one", data={"a": "2"})
