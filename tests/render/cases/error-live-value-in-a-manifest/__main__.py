import pulumi
import pulumi_kubernetes as k8s

service = k8s.core.v1.Service("web", spec={"ports": [{"port": 80}]})
k8s.core.v1.ConfigMap("settings", data={"ip": service.spec.cluster_ip})
