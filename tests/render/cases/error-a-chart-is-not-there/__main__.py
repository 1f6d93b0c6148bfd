from pulumi_kubernetes.helm.v3 import Chart, LocalChartOpts

Chart("web", LocalChartOpts(path="./charts/not-there"))
