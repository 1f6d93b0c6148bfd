"""Transforms choose the provider of objects, of a component's children and of an object's."""

import pulumi
import pulumi_kubernetes as k8s

directory = pulumi.Config("kubernetes").get("renderYamlToDirectory")
blue, green = (
    k8s.Provider(team, namespace=team, render_yaml_to_directory=directory)
    for team in ("blue", "green")
)


def providers_of_app(args: pulumi.ResourceTransformArgs):
    if args.type_ == "example:index:App":
        opts = pulumi.ResourceOptions.merge(args.opts, pulumi.ResourceOptions(providers=[blue]))
        return pulumi.ResourceTransformResult(args.props, opts)


def provider_of_owner(args: pulumi.ResourceTransformArgs):
    if args.name == "owner":
        opts = pulumi.ResourceOptions.merge(args.opts, pulumi.ResourceOptions(provider=green))
        return pulumi.ResourceTransformResult(args.props, opts)


class Settings(pulumi.ComponentResource):
    def __init__(self, name, opts=None):
        super().__init__("example:index:Settings", name, None, opts)
        k8s.core.v1.ConfigMap(name, metadata={"name": name}, opts=pulumi.ResourceOptions(parent=self))


class App(pulumi.ComponentResource):
    def __init__(self, name, opts=None):
        super().__init__("example:index:App", name, None, opts)
        Settings(f"{name}-nested", opts=pulumi.ResourceOptions(parent=self))
        k8s.yaml.v2.ConfigGroup(
            f"{name}-group",
            yaml="{apiVersion: v1, kind: ConfigMap, metadata: {name: in-a-group}}",
            opts=pulumi.ResourceOptions(parent=self),
        )
        k8s.core.v1.ServiceAccount(
            name,
            metadata={"name": name},
            opts=pulumi.ResourceOptions(parent=self, provider=green),
        )


App("app", opts=pulumi.ResourceOptions(transforms=[providers_of_app]))
owner = k8s.core.v1.ServiceAccount(
    "owner",
    metadata={"name": "owner"},
    opts=pulumi.ResourceOptions(transforms=[provider_of_owner]),
)
k8s.core.v1.ServiceAccount(
    "owned", metadata={"name": "owned"}, opts=pulumi.ResourceOptions(parent=owner)
)
Settings("alone")
