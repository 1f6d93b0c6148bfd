import pulumi
import pulumi_kubernetes as k8s
from pulumi import ResourceOptions


class Store(pulumi.ComponentResource):
    def __init__(self, name, opts=None):
        super().__init__("example:index:Store", name, None, opts)
        inside = ResourceOptions(parent=self)
        k8s.core.v1.ConfigMap(f"{name}-inherits", data={}, opts=inside)
        k8s.core.v1.ConfigMap(
            f"{name}-says-no",
            data={},
            opts=ResourceOptions.merge(
                inside, ResourceOptions(protect=False, retain_on_delete=False)
            ),
        )
        k8s.yaml.ConfigGroup(
            f"{name}-text",
            yaml=[f"{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {name}-text}}}}"],
            opts=inside,
        )
        k8s.yaml.v2.ConfigGroup(
            f"{name}-text-by-v2",
            yaml=f"{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {name}-text-by-v2}}}}",
            opts=inside,
        )


Store("protected", opts=ResourceOptions(protect=True))
Store("retained", opts=ResourceOptions(retain_on_delete=True))
chart = dict(path="./chart", namespace="shop")
k8s.helm.v3.Chart(
    "old", k8s.helm.v3.LocalChartOpts(**chart), opts=ResourceOptions(protect=True)
)
k8s.helm.v4.Chart(
    "new", chart="./chart", namespace="shop", opts=ResourceOptions(retain_on_delete=True)
)


def claims(args: pulumi.ResourceTransformArgs):
    if not args.type_.endswith(":PersistentVolumeClaim"):
        return None
    opts = ResourceOptions.merge(args.opts, ResourceOptions(protect=True))
    return pulumi.ResourceTransformResult(args.props, opts)


k8s.core.v1.PersistentVolumeClaim(
    "disk", spec={"accessModes": ["ReadWriteOnce"]}, opts=ResourceOptions(transforms=[claims])
)
k8s.core.v1.ConfigMap(
    "with-options-of-its-own",
    metadata={"annotations": {"argocd.argoproj.io/sync-options": "Prune=false, Replace=true"}},
    data={},
    opts=ResourceOptions(protect=True),
)
