"""The guestbook's front end: a Deployment and the Service in front of it."""

import pulumi
import pulumi_kubernetes as k8s

config = pulumi.Config()
labels = {"app": "guestbook-ui"}

deployment = k8s.apps.v1.Deployment(
    "guestbook-ui",
    spec={
        "replicas": config.get_int("replicas") or 1,
        "selector": {"match_labels": labels},
        "template": {
            "metadata": {"labels": labels},
            "spec": {
                "containers": [
                    {
                        "name": "guestbook-ui",
                        "image": "gcr.io/google-samples/gb-frontend:v5",
                        "ports": [{"container_port": 80}],
                    }
                ],
            },
        },
    },
)

service = k8s.core.v1.Service(
    "guestbook-ui",
    spec={
        "selector": labels,
        "ports": [{"port": 80, "target_port": 80}],
    },
)

pulumi.export("service", service.metadata["name"])
