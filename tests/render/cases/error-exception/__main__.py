import pulumi
import pulumi_kubernetes as k8s

k8s.core.v1.ConfigMap("settings", data={})


def broken():
    raise ValueError("no such colour: blue")


broken()
