from pulumi_kubernetes.helm.v3 import OldChart

OldChart("web")
