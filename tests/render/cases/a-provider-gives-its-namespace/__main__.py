import pulumi
import pulumi_kubernetes as k8s

provider = k8s.Provider("there", namespace="team-a", kubeconfig="apiVersion: v1")
there = pulumi.ResourceOptions(provider=provider)
k8s.core.v1.ConfigMap("unnamed", data={}, opts=there)
k8s.core.v1.ConfigMap("named", metadata={"namespace": "own"}, data={}, opts=there)
k8s.rbac.v1.ClusterRole("cluster-wide", rules=[], opts=there)
k8s.core.v1.ConfigMap("without", data={})
