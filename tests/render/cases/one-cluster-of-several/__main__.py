"""One program for two clusters, as `pulumi up` would deploy it to both."""

import pulumi
import pulumi_kubernetes as k8s

contexts = {"east": "prod-east", "west": "prod-west"}
providers = {name: k8s.Provider(name, context=context) for name, context in contexts.items()}
providers["east-team"] = k8s.Provider("east-team", context="prod-east", namespace="team")


class App(pulumi.ComponentResource):
    def __init__(self, name, opts=None):
        super().__init__("example:index:App", name, None, opts)
        inside = pulumi.ResourceOptions(parent=self)
        k8s.core.v1.ConfigMap(name, metadata={"name": "app"}, data={"of": name}, opts=inside)
        k8s.yaml.ConfigGroup(
            f"{name}-text",
            yaml=["{apiVersion: v1, kind: ConfigMap, metadata: {name: text}}"],
            resource_prefix=name,
            opts=inside,
        )
        k8s.yaml.v2.ConfigGroup(
            f"{name}-text-by-v2",
            yaml="{apiVersion: v1, kind: ConfigMap, metadata: {name: text-by-v2}}",
            opts=inside,
        )


for name, provider in providers.items():
    App(name, opts=pulumi.ResourceOptions(provider=provider))
