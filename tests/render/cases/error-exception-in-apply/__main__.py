import pulumi
import pulumi_kubernetes as k8s

settings = k8s.core.v1.ConfigMap("settings", data={})
settings.metadata.name.apply(lambda name: {}[name])
