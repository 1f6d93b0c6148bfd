import pulumi
import pulumi_kubernetes as k8s

import time

k8s.core.v1.ConfigMap("settings", data={})
time.sleep(3000)
