import pulumi
import pulumi_kubernetes as k8s

k8s.core.v1.ConfigMap("one", metadata={"name": "settings"}, data={"a": "1"})
k8s.core.v1.ConfigMap("two", metadata={"name": "settings", "namespace": "default"}, data={"a": "2"})
