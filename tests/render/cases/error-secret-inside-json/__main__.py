import pulumi
import pulumi_kubernetes as k8s

k8s.core.v1.ConfigMap("settings", data={"greeting": pulumi.Output.json_dumps({"password": pulumi.Output.secret("hunter2-hunter2")})})