import pulumi
import pulumi_kubernetes as k8s

import os

first = k8s.core.v1.ConfigMap("first", data={})
first.metadata.name.apply(lambda _: os._exit(0))
