import pulumi
import pulumi_kubernetes as k8s

namespace = k8s.core.v1.Namespace("shop", metadata={"name": "shop"})
one = k8s.yaml.v2.ConfigFile("one", file="./manifests/app.yaml")
k8s.yaml.v2.ConfigGroup(
    "group",
    files=["./manifests/more/*.yaml"],
    opts=pulumi.ResourceOptions(depends_on=[one]),
)
k8s.yaml.v2.ConfigGroup(
    "text",
    yaml=pulumi.Output.format(
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: text\n  namespace: {0}\ndata: {{}}\n",
        namespace.metadata.name,
    ),
    resource_prefix="prefix",
)
k8s.yaml.v2.ConfigGroup(
    "objects",
    objs=[
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "object", "namespace": namespace.metadata.name},
            "data": {"a": "1"},
        }
    ],
)
