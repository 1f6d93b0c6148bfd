import asyncio

import pulumi
import pulumi_kubernetes as k8s


async def looked_up(name: str) -> dict:
    await asyncio.sleep(0.05)
    return {"looked-up": name}


async def later() -> None:
    await asyncio.sleep(0.1)
    k8s.core.v1.ConfigMap("later", data={"a": "1"})


first = k8s.core.v1.ConfigMap("first", data=looked_up("first"))
k8s.core.v1.ConfigMap(
    "second",
    data=pulumi.Output.from_input(looked_up("second")).apply(lambda data: {**data, "n": "2"}),
    opts=pulumi.ResourceOptions(depends_on=asyncio.ensure_future(asyncio.sleep(0, result=[first]))),
)
pulumi.Output.from_input(later())
pulumi.export("first", first.metadata.name.apply(looked_up))
