from typing import Optional, TypedDict

import pulumi
import pulumi_kubernetes as k8s


class ApplicationArgs(TypedDict):
    image: pulumi.Input[str]
    replicas: Optional[pulumi.Input[int]]
    password: Optional[pulumi.Input[str]]
    settings: Optional[pulumi.Input[dict[str, pulumi.Input[str]]]]


class Application(pulumi.ComponentResource):
    """A web server with its settings and its address."""

    address: pulumi.Output[str]
    image: pulumi.Output[str]

    def __init__(
        self, name: str, args: ApplicationArgs, opts: Optional[pulumi.ResourceOptions] = None
    ) -> None:
        super().__init__("web:index:Application", name, {}, opts)
        below = pulumi.ResourceOptions(parent=self)
        labels = {"app": name, "stack": pulumi.get_stack()}
        settings = k8s.core.v1.ConfigMap(
            f"{name}-settings", data=args.get("settings") or {}, opts=below
        )
        login = k8s.core.v1.Secret(
            f"{name}-login", string_data={"password": args.get("password")}, opts=below
        )
        environment = [
            {"configMapRef": {"name": settings.metadata["name"]}},
            {"secretRef": {"name": login.metadata["name"]}},
        ]
        k8s.apps.v1.Deployment(
            name,
            spec={
                "replicas": args.get("replicas") or 1,
                "selector": {"matchLabels": labels},
                "template": {
                    "metadata": {"labels": labels},
                    "spec": {
                        "containers": [
                            {"name": "web", "image": args["image"], "envFrom": environment}
                        ]
                    },
                },
            },
            opts=below,
        )
        service = k8s.core.v1.Service(
            name, spec={"selector": labels, "ports": [{"port": 80}]}, opts=below
        )
        self.address = pulumi.Output.format("http://{0}", service.metadata["name"])
        self.image = pulumi.Output.from_input(args["image"])
        self.register_outputs({"address": self.address, "image": self.image})
