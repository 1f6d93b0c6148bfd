import asyncio

import pulumi
import pulumi_kubernetes as k8s


async def own_namespace(args: pulumi.ResourceTransformArgs):
    await asyncio.sleep(0)
    if args.custom and args.type_.startswith("kubernetes:core/"):
        metadata = dict(args.props.get("metadata") or {})
        metadata.setdefault("namespace", "from-the-stack")
        return pulumi.ResourceTransformResult({**args.props, "metadata": metadata}, args.opts)


def annotate(args: pulumi.ResourceTransformArgs):
    if args.type_ != "kubernetes:core/v1:ConfigMap":
        return None
    metadata = dict(args.props.get("metadata") or {})
    metadata["annotations"] = {"made-as": args.name, "of": args.type_}
    return pulumi.ResourceTransformResult({**args.props, "metadata": metadata}, args.opts)


class Group(pulumi.ComponentResource):
    def __init__(self, name, opts=None):
        super().__init__("example:index:Group", name, None, opts)
        settings = k8s.core.v1.ConfigMap(
            f"{name}-settings", data={"a": "1"}, opts=pulumi.ResourceOptions(parent=self)
        )
        k8s.core.v1.Secret(
            f"{name}-login",
            string_data={"of": settings.metadata.apply(lambda m: m.namespace or "none")},
            opts=pulumi.ResourceOptions(parent=self, depends_on=[settings]),
        )


pulumi.runtime.register_resource_transform(own_namespace)
Group("plain")
Group("annotated", opts=pulumi.ResourceOptions(transforms=[annotate]))
