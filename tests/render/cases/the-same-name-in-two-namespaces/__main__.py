import pulumi_kubernetes as k8s

for team in ("blue", "green"):
    namespace = k8s.core.v1.Namespace(team, metadata={"name": team})
    for kind in (k8s.core.v1.ConfigMap, k8s.core.v1.ServiceAccount):
        kind(f"{team}-app", metadata={"name": "app", "namespace": namespace.metadata["name"]})
k8s.core.v1.ConfigMap("app", data={})
