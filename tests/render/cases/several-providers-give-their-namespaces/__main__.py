"""One program, a provider for each team; none of them talks to a cluster when rendering."""

import pulumi
import pulumi_kubernetes as k8s

directory = pulumi.Config("kubernetes").get("renderYamlToDirectory")
providers = {
    team: k8s.Provider(team, namespace=team, render_yaml_to_directory=directory)
    for team in ("blue", "green")
}


class App(pulumi.ComponentResource):
    def __init__(self, name, opts=None):
        super().__init__("example:index:App", name, None, opts)
        self.settings = k8s.core.v1.ConfigMap(
            name, metadata={"name": "app"}, data={"of": name}, opts=pulumi.ResourceOptions(parent=self)
        )


for team, provider in providers.items():
    App(team, opts=pulumi.ResourceOptions(providers={"kubernetes": provider}))
    k8s.core.v1.ServiceAccount(
        f"{team}-runner",
        metadata={"name": "runner"},
        opts=pulumi.ResourceOptions(provider=provider),
    )
    k8s.core.v1.Namespace(team, metadata={"name": team}, opts=pulumi.ResourceOptions(provider=provider))
k8s.core.v1.ConfigMap("shared", data={"teams": ",".join(providers)})
k8s.core.v1.ConfigMap(
    "explicit",
    metadata={"namespace": "red"},
    data={},
    opts=pulumi.ResourceOptions(provider=providers["blue"]),
)
