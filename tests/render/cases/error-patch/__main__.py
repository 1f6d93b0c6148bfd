import pulumi
import pulumi_kubernetes as k8s

k8s.core.v1.ConfigMapPatch("there", metadata={"name": "there"}, data={})
