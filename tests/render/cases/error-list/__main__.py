import pulumi
import pulumi_kubernetes as k8s

k8s.core.v1.ConfigMapList("several", items=[{"data": {}}])
