import pulumi
import pulumi_kubernetes as k8s


def in_shop(obj, opts):
    if obj["kind"] == "Deployment":
        obj["spec"]["replicas"] = 3
    obj["metadata"]["namespace"] = "shop"


one = k8s.yaml.ConfigFile("one", file="manifests/app.yaml", transformations=[in_shop])
k8s.yaml.ConfigGroup(
    "group",
    files=["manifests/more/*.yaml"],
    resource_prefix="second",
    opts=pulumi.ResourceOptions(depends_on=[one]),
)
k8s.yaml.ConfigGroup(
    "text",
    yaml=[
        """
apiVersion: v1
kind: Secret
metadata: {name: from-text}
stringData:
  yes: "no"
""",
        "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: from-another\n",
    ],
)
service = one.get_resource("v1/Service", "app", "shop")
k8s.core.v1.ConfigMap("port", data={"port": service.spec.ports[0].port.apply(str)})
