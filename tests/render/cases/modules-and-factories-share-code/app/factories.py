from pathlib import Path

import pulumi_kubernetes as k8s

from .settings import App

CONFIG = Path(__file__).parent / "files" / "nginx.conf"


def build(app: App, labels: dict[str, str]) -> None:
    config = k8s.core.v1.ConfigMap(
        f"{app.name}-nginx",
        metadata={"labels": labels},
        data={"nginx.conf": CONFIG.read_text().replace("PORT", str(app.port))},
    )
    k8s.apps.v1.Deployment(
        app.name,
        metadata={"labels": labels},
        spec={
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {
                    "containers": [
                        {
                            "name": "nginx",
                            "image": "nginx",
                            "volumeMounts": [{"name": "config", "mountPath": "/etc/nginx"}],
                        }
                    ],
                    "volumes": [{"name": "config", "configMap": {"name": config.metadata.name}}],
                },
            },
        },
    )
    if app.public:
        _expose(app, labels)


def _expose(app: App, labels: dict[str, str]) -> None:
    k8s.core.v1.Service(
        app.name,
        metadata={"labels": labels},
        spec={"type": "NodePort", "selector": labels, "ports": [{"port": app.port, "nodePort": 30080}]},
    )
