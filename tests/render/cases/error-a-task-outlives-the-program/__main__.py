import asyncio

import pulumi_kubernetes as k8s


async def make(_: object) -> None:
    await asyncio.sleep(0.5)
    k8s.core.v1.ConfigMap("second", data={})


first = k8s.core.v1.ConfigMap("first", data={})
first.metadata.apply(lambda metadata: asyncio.ensure_future(make(metadata)) and None)
