import pulumi_kubernetes as k8s

k8s.helm.v3.Chart("three", k8s.helm.v3.LocalChartOpts(path="chart", namespace="shop"))
k8s.helm.v4.Chart("four", chart="./chart", namespace="shop")
k8s.helm.v3.Release("release", chart="./chart", name="release", namespace="shop")
