import pulumi
import pulumi_kubernetes as k8s


def add_team(args: pulumi.ResourceTransformationArgs):
    if not args.type_.startswith("kubernetes:"):
        return None
    metadata = dict(args.props.get("metadata") or {})
    metadata["labels"] = {**metadata.get("labels", {}), "team": "shop"}
    return pulumi.ResourceTransformationResult({**args.props, "metadata": metadata}, args.opts)


def never_latest(args: pulumi.ResourceTransformationArgs):
    if args.type_ == "kubernetes:core/v1:ConfigMap":
        props = {**args.props, "data": {**args.props["data"], "checked": "true"}}
        return pulumi.ResourceTransformationResult(
            props, pulumi.ResourceOptions.merge(args.opts, pulumi.ResourceOptions(protect=True))
        )


class Group(pulumi.ComponentResource):
    def __init__(self, name, opts=None):
        super().__init__("example:index:Group", name, None, opts)
        k8s.core.v1.ConfigMap(
            f"{name}-settings",
            metadata={"labels": {"own": "label"}},
            data={"a": "1"},
            opts=pulumi.ResourceOptions(parent=self),
        )
        k8s.core.v1.ServiceAccount(f"{name}-account", opts=pulumi.ResourceOptions(parent=self))


pulumi.runtime.register_stack_transformation(add_team)
Group("plain")
Group("checked", opts=pulumi.ResourceOptions(transformations=[never_latest]))
