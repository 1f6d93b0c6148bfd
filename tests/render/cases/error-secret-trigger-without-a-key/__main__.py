import pulumi
import pulumi_kubernetes as k8s

k8s.batch.v1.Job(
    "migrate",
    spec={"template": {"spec": {"restartPolicy": "Never", "containers": []}}},
    opts=pulumi.ResourceOptions(replacement_trigger=pulumi.Output.secret("canary-1")),
)
