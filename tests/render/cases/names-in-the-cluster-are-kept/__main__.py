import pulumi
import pulumi_kubernetes as k8s


class App(pulumi.ComponentResource):
    def __init__(self, name: str, namespace: pulumi.Input[str]) -> None:
        super().__init__("shop:index:App", name)
        options = pulumi.ResourceOptions(parent=self)
        place = {"namespace": namespace}
        labels = {"app": name}
        self.service = k8s.core.v1.Service(
            "web", metadata=place, spec={"selector": labels, "ports": [{"port": 80}]}, opts=options
        )
        container = {
            "name": "web",
            "image": "nginx",
            "env": [{"name": "SELF", "value": self.service.metadata.name}],
        }
        k8s.apps.v1.Deployment(
            "web",
            metadata=place,
            spec={
                "selector": {"match_labels": labels},
                "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
            },
            opts=options,
        )


team = k8s.core.v1.Namespace("team")
App("shop", team.metadata.name)
k8s.core.v1.ConfigMap("named", metadata={"name": "settings"}, data={})
k8s.core.v1.ConfigMap("new", data={})
