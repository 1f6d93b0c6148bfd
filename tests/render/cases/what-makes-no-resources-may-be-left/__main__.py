import asyncio
import threading

import pulumi
import pulumi_kubernetes as k8s


async def answer(value, seconds):
    try:
        await asyncio.sleep(seconds)
    finally:
        # What is cancelled takes a moment.
        await asyncio.sleep(0.01)
    return value


async def fail():
    raise ValueError("no answer")


async def first():
    fast, slow = (asyncio.ensure_future(answer(*each)) for each in (("fast", 0), ("slow", 0.2)))
    await asyncio.wait([fast, slow], return_when=asyncio.FIRST_COMPLETED)
    cancelled = asyncio.ensure_future(answer("never", 60))
    await asyncio.sleep(0)
    cancelled.cancel()
    try:
        await asyncio.gather(answer("late", 0.2), fail())
    except ValueError:
        return fast.result()


unneeded = answer("unneeded", 0)
unneeded.close()
threading.Thread(target=lambda: asyncio.run(answer("of a thread", 0))).start()
k8s.core.v1.ConfigMap("answers", data={"first": pulumi.Output.from_input(first())})
