import pulumi
import pulumi_kubernetes as k8s

k8s.core.v1.ConfigMap("by-pattern", data={})
k8s.core.v1.Secret("by-type", string_data={})
