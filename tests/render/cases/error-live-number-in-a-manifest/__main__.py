import pulumi
import pulumi_kubernetes as k8s

web = k8s.apps.v1.Deployment(
    "web",
    spec={"selector": {}, "template": {"spec": {"containers": [{"name": "web", "image": "web"}]}}},
)
k8s.core.v1.ConfigMap("settings", data={"ready": web.status.ready_replicas.apply(str)})
