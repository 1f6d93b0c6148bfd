import pulumi
import pulumi_kubernetes as k8s


def label(args: pulumi.ResourceTransformArgs):
    if args.type_ != "kubernetes:core/v1:Service":
        return None
    metadata = {**args.props["metadata"]}
    metadata["labels"] = {**metadata.get("labels", {}), "team": "shop"}
    return pulumi.ResourceTransformResult({**args.props, "metadata": metadata}, args.opts)


namespace = k8s.core.v1.Namespace("shop", metadata={"name": "shop"})
chart = k8s.helm.v4.Chart(
    "shop",
    chart="./charts/web",
    namespace=namespace.metadata.name,
    values={
        "replicas": 2,
        "image": {"tag": "1.27"},
        "config": {"host": pulumi.Output.concat("shop.", namespace.metadata.name)},
    },
    opts=pulumi.ResourceOptions(transforms=[label]),
)
k8s.helm.v4.Chart(
    "plain",
    chart="./charts/web",
    name="renamed",
    namespace="plain",
    skip_crds=True,
    values={"replicas": 0},
    opts=pulumi.ResourceOptions(depends_on=[chart]),
)
pulumi.export("resources", chart.resources.apply(len))
