import pulumi
import pulumi_kubernetes as k8s

k8s.helm.v3.Release("nginx", chart="nginx")
