import pulumi
import pulumi_kubernetes as k8s

k8s.core.v1.PersistentVolumeClaim(
    "disk",
    metadata={"annotations": {"argocd.argoproj.io/sync-options": "Replace=true,Prune=true"}},
    spec={"accessModes": ["ReadWriteOnce"]},
    opts=pulumi.ResourceOptions(protect=True),
)
