import pulumi
import pulumi_kubernetes as k8s

database = k8s.helm.v3.Release(
    "database",
    name="db",
    chart="./charts/web",
    namespace="data",
    create_namespace=True,
    atomic=True,
    timeout=600,
    value_yaml_files=[pulumi.FileAsset("values.yaml")],
    values={"image": {"tag": "16"}},
    opts=pulumi.ResourceOptions(retain_on_delete=True),
)
shop = k8s.helm.v3.Release(
    "shop",
    k8s.helm.v3.ReleaseArgs(
        chart="./charts/web",
        namespace="data",
        create_namespace=True,
        skip_crds=True,
        disable_webhooks=True,
        values={"replicas": 2, "config": {"database": database.status.name}},
    ),
    opts=pulumi.ResourceOptions(depends_on=[database]),
)
service = shop.resource_names.apply(lambda names: names["Service/v1"][0])
k8s.networking.v1.Ingress(
    "shop",
    metadata={"namespace": shop.status.namespace},
    spec={
        "defaultBackend": {
            "service": {"name": service, "port": {"number": 80}},
        }
    },
    opts=pulumi.ResourceOptions(depends_on=[shop]),
)
pulumi.export("revision", shop.status.revision)
