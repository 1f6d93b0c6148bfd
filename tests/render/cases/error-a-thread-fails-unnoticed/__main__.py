import threading

import pulumi_kubernetes as k8s


def compute() -> None:
    raise ValueError("no such region")


k8s.core.v1.ConfigMap("first", data={})
threading.Thread(target=compute).start()
