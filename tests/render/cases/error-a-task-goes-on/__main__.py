import asyncio

import pulumi_kubernetes as k8s


async def make() -> None:
    await asyncio.sleep(60)
    k8s.core.v1.ConfigMap("second", data={})


k8s.core.v1.ConfigMap("first", data={})
task = asyncio.ensure_future(make())
