import pulumi
import pulumi_kubernetes as k8s

k8s.yaml.ConfigGroup("group", yaml=["kind: ConfigMap"])
