import atexit

import pulumi_kubernetes as k8s

k8s.core.v1.ConfigMap("first", data={})
atexit.register(lambda: k8s.core.v1.ConfigMap("second", data={}))
