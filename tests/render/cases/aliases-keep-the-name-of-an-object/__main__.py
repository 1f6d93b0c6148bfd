import pulumi
import pulumi_kubernetes as k8s


class Renamed(pulumi.ComponentResource):
    def __init__(self, name, opts=None):
        super().__init__(
            "example:index:Renamed",
            name,
            None,
            pulumi.ResourceOptions.merge(
                pulumi.ResourceOptions(aliases=[pulumi.Alias(type_="example:index:Before")]), opts
            ),
        )
        k8s.core.v1.ConfigMap(
            "inner",
            data={"a": "1"},
            opts=pulumi.ResourceOptions(
                parent=self,
                aliases=[
                    pulumi.Alias(name="older", parent=pulumi.ROOT_STACK_RESOURCE),
                    "urn:pulumi:dev::case::kubernetes:core/v1:ConfigMap::older",
                ],
            ),
        )


Renamed("new", opts=pulumi.ResourceOptions(aliases=[pulumi.Alias(name="old", stack="before")]))
k8s.apps.v1.Deployment(
    "web",
    spec={
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "web", "image": "web"}]},
        },
    },
    opts=pulumi.ResourceOptions(aliases=[pulumi.Alias(type_="kubernetes:extensions/v1beta1:Deployment")]),
)
