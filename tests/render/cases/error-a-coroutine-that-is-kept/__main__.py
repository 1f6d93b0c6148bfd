import pulumi_kubernetes as k8s


async def make() -> k8s.core.v1.ConfigMap:
    return k8s.core.v1.ConfigMap("second", data={})


k8s.core.v1.ConfigMap("first", data={})
second = make()
