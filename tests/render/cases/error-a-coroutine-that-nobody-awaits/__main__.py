import pulumi_kubernetes as k8s


async def make() -> None:
    k8s.core.v1.ConfigMap("second", data={})


k8s.core.v1.ConfigMap("first", data={})
make()
