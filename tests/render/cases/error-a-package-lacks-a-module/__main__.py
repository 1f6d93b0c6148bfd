from pulumi_kubernetes.helm.v2 import Chart

Chart("web", None)
