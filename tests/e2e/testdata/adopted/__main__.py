"""Auto-named, named, charted and protected objects, as `pulumi up` makes them."""

import pulumi
import pulumi_kubernetes as k8s
from pulumi import ResourceOptions

WITHOUT_PODS = {"pulumi.com/skipAwait": "true"}


class Shop(pulumi.ComponentResource):
    """A Deployment with settings of its own."""

    def __init__(self, name: str, namespace: pulumi.Input[str]) -> None:
        super().__init__("adopted:index:Shop", name)
        child = ResourceOptions(parent=self)
        settings = k8s.core.v1.ConfigMap(
            f"{name}-settings",
            metadata={"namespace": namespace},
            data={"colour": "red"},
            opts=child,
        )
        labels = {"app": name}
        container = {
            "name": "web",
            "image": "registry.example.com/web:1",
            "env_from": [{"config_map_ref": {"name": settings.metadata.name}}],
        }
        k8s.apps.v1.Deployment(
            f"{name}-web",
            metadata={"namespace": namespace, "annotations": WITHOUT_PODS},
            spec={
                "selector": {"match_labels": labels},
                "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
            },
            opts=child,
        )
        k8s.core.v1.Service(
            f"{name}-web",
            metadata={"namespace": namespace, "annotations": WITHOUT_PODS},
            spec={"selector": labels, "ports": [{"port": 80}]},
            opts=child,
        )


space = k8s.core.v1.Namespace("adopted").metadata.name
Shop("shop", space)
k8s.core.v1.ConfigMap("named", metadata={"namespace": space, "name": "named"}, data={"a": "1"})
k8s.core.v1.Secret(
    "login",
    metadata={"namespace": space},
    string_data={"password": pulumi.Output.secret("canary-of-a-stack-that-moves")},
    opts=ResourceOptions(protect=True),
)
k8s.core.v1.ConfigMap(
    "kept", metadata={"namespace": space}, data={}, opts=ResourceOptions(retain_on_delete=True)
)
k8s.helm.v4.Chart("cart", chart="./chart", namespace=space)
