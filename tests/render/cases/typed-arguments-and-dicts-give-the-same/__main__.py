"""A web server, declared with argument classes, and its service, with plain dicts."""

import pulumi_kubernetes as k8s
from pulumi_kubernetes.apps.v1 import Deployment, DeploymentSpecArgs
from pulumi_kubernetes.core.v1 import (
    ContainerArgs,
    ContainerPortArgs,
    EnvVarArgs,
    HTTPGetActionArgs,
    PodSpecArgs,
    PodTemplateSpecArgs,
    ProbeArgs,
    ResourceRequirementsArgs,
)
from pulumi_kubernetes.meta.v1 import LabelSelectorArgs, ObjectMetaArgs

labels = {"app": "web"}
deployment = Deployment(
    "web",
    spec=DeploymentSpecArgs(
        replicas=3,
        selector=LabelSelectorArgs(match_labels=labels),
        template=PodTemplateSpecArgs(
            metadata=ObjectMetaArgs(labels=labels),
            spec=PodSpecArgs(
                containers=[
                    ContainerArgs(
                        name="web",
                        image="nginx:1.27",
                        ports=[ContainerPortArgs(container_port=80, name="http")],
                        env=[EnvVarArgs(name="MODE", value="production")],
                        readiness_probe=ProbeArgs(
                            http_get=HTTPGetActionArgs(path="/healthz", port="http"),
                            period_seconds=5,
                        ),
                        resources=ResourceRequirementsArgs(
                            requests={"cpu": "100m", "memory": "64Mi"},
                            limits={"memory": "128Mi"},
                        ),
                    )
                ],
                automount_service_account_token=False,
            ),
        ),
    ),
)

k8s.apps.v1.Deployment(
    "web-as-dicts",
    spec={
        "replicas": 3,
        "selector": {"match_labels": labels},
        "template": {
            "metadata": {"labels": labels},
            "spec": {
                "containers": [
                    {
                        "name": "web",
                        "image": "nginx:1.27",
                        "ports": [{"container_port": 80, "name": "http"}],
                        "env": [{"name": "MODE", "value": "production"}],
                        "readiness_probe": {
                            "http_get": {"path": "/healthz", "port": "http"},
                            "period_seconds": 5,
                        },
                        "resources": {
                            "requests": {"cpu": "100m", "memory": "64Mi"},
                            "limits": {"memory": "128Mi"},
                        },
                    }
                ],
                "automount_service_account_token": False,
            },
        },
    },
)

k8s.core.v1.Service(
    "web",
    metadata={"labels": labels},
    spec={
        "selector": deployment.spec.template.metadata.labels,
        "ports": [{"port": 80, "targetPort": "http", "protocol": "TCP"}],
    },
)
