import pulumi_kubernetes as k8s

settings = k8s.core.v1.ConfigMap("settings", data={})
elsewhere = k8s.core.v1.ConfigMap("elsewhere", metadata={"namespace": "own"}, data={})
role = k8s.rbac.v1.ClusterRole("reader", rules=[])
k8s.core.v1.ConfigMap(
    "known",
    data={
        "id": settings.id,
        "namespace": settings.metadata.namespace,
        "host": settings.metadata.apply(lambda at: f"{at.name}.{at.namespace}.svc"),
        "own-id": elsewhere.id,
        "own-namespace": elsewhere.metadata["namespace"],
        "cluster-wide-id": role.id,
        "no-namespace": role.metadata.apply(lambda metadata: str(metadata.namespace)),
    },
)
