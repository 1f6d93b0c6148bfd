"""A platform of environments of apps, each a component of its own."""

import pulumi
import pulumi_kubernetes as k8s


class App(pulumi.ComponentResource):
    address: pulumi.Output[str]

    def __init__(self, name, image, namespace, replicas=1, opts=None):
        super().__init__("platform:index:App", name, {"image": image}, opts)
        labels = {"app": name}
        mine = pulumi.ResourceOptions(parent=self)
        self.deployment = k8s.apps.v1.Deployment(
            name,
            metadata={"namespace": namespace},
            spec={
                "replicas": replicas,
                "selector": {"matchLabels": labels},
                "template": {
                    "metadata": {"labels": labels},
                    "spec": {"containers": [{"name": "app", "image": image}]},
                },
            },
            opts=mine,
        )
        self.service = k8s.core.v1.Service(
            name,
            metadata={"namespace": namespace},
            spec={"selector": labels, "ports": [{"port": 80}]},
            opts=mine,
        )
        self.address = pulumi.Output.format(
            "http://{0}.{1}.svc", self.service.metadata.name, self.service.metadata.namespace
        )
        self.register_outputs({"address": self.address})


class Environment(pulumi.ComponentResource):
    def __init__(self, name, apps, opts=None):
        super().__init__("platform:index:Environment", name, None, opts)
        self.namespace = k8s.core.v1.Namespace(
            name, metadata={"name": name}, opts=pulumi.ResourceOptions(parent=self)
        )
        self.apps = {
            app: App(
                f"{name}-{app}",
                image,
                self.namespace.metadata.name,
                replicas=2 if name == "production" else 1,
                opts=pulumi.ResourceOptions(parent=self.namespace),
            )
            for app, image in apps.items()
        }
        addresses = pulumi.Output.all(**{app: made.address for app, made in self.apps.items()})
        k8s.core.v1.ConfigMap(
            f"{name}-addresses",
            metadata={"namespace": self.namespace.metadata.name, "name": "addresses"},
            data=addresses,
            opts=pulumi.ResourceOptions(parent=self, depends_on=list(self.apps.values())),
        )
        self.register_outputs({})


class Platform(pulumi.ComponentResource):
    def __init__(self, name, opts=None):
        super().__init__("platform:index:Platform", name, None, opts)
        apps = {"shop": "shop:2", "search": "search:7"}
        for environment in ("staging", "production"):
            Environment(environment, apps, opts=pulumi.ResourceOptions(parent=self))
        self.register_outputs({"environments": 2})


Platform("platform")
