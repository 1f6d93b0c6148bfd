import pulumi
import pulumi_kubernetes as k8s

k8s.helm.v4.Chart("nginx", chart="./nginx")
