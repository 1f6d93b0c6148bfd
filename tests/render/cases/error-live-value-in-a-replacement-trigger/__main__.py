import pulumi
import pulumi_kubernetes as k8s

web = k8s.apps.v1.Deployment("web", spec={})
k8s.batch.v1.Job(
    "migrate",
    spec={"template": {"spec": {"restartPolicy": "Never", "containers": []}}},
    opts=pulumi.ResourceOptions(replacement_trigger=web.metadata.uid),
)
