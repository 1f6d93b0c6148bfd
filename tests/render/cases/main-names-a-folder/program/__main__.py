import pulumi
import pulumi_kubernetes as k8s

from helper import DATA

k8s.core.v1.ConfigMap("settings", data=DATA)
