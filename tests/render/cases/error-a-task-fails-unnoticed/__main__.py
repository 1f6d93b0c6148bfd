import asyncio

import pulumi_kubernetes as k8s


async def make() -> None:
    raise ValueError("no such region")


k8s.core.v1.ConfigMap("first", data={})
task = asyncio.ensure_future(make())
