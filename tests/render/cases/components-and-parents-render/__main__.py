import pulumi
import pulumi_kubernetes as k8s

class Pair(pulumi.ComponentResource):
    def __init__(self, name, opts=None):
        super().__init__("example:index:Pair", name, {}, opts)
        inner = pulumi.ResourceOptions(parent=self)
        self.one = k8s.core.v1.ConfigMap(f"{name}-one", data={"n": "1"}, opts=inner)
        self.two = k8s.core.v1.ConfigMap(
            f"{name}-two",
            data={"other": self.one.metadata.name},
            opts=pulumi.ResourceOptions(parent=self, depends_on=[self.one]),
        )
        self.register_outputs({"two": self.two.metadata.name})

Pair("left")
Pair("right", opts=pulumi.ResourceOptions(aliases=[pulumi.Alias(name="old")]))
