import time
from concurrent.futures import ThreadPoolExecutor

import pulumi_kubernetes as k8s


def make(name: str) -> None:
    time.sleep(0.2)
    k8s.core.v1.ConfigMap(name, data={})


make("first")
ThreadPoolExecutor().submit(make, "second")
