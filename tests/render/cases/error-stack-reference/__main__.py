import pulumi
import pulumi_kubernetes as k8s

network = pulumi.StackReference("organization/network/dev")
k8s.core.v1.ConfigMap("settings", data={"cidr": network.require_output("cidr")})
