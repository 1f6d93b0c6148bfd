import pulumi
import pulumi_kubernetes as k8s

k8s.core.v1.ConfigMap("settings", data={"greeting": pulumi.Output.secret("hunter2-hunter2")})