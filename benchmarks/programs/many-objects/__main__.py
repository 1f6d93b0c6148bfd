"""Deployments and Services in equal numbers: `count` objects together."""

import pulumi
import pulumi_kubernetes as k8s

for number in range(pulumi.Config().require_int("count") // 2):
    name = f"app-{number}"
    labels = {"app": name}
    k8s.apps.v1.Deployment(
        name,
        metadata={"name": name, "labels": labels},
        spec={
            "replicas": 2,
            "selector": {"match_labels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {
                    "containers": [
                        {
                            "name": "app",
                            "image": "registry.example.com/app:1.2.3",
                            "ports": [{"container_port": 8080}],
                            "env": [{"name": "NUMBER", "value": str(number)}],
                            "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}},
                        }
                    ],
                },
            },
        },
    )
    k8s.core.v1.Service(
        name,
        metadata={"name": name, "labels": labels},
        spec={"selector": labels, "ports": [{"port": 80, "target_port": 8080}]},
    )
