from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as k8s


@dataclass
class AppConfig:
    name: str
    image: str
    replicas: int = 1
    hosts: tuple = ()
    env: dict = None


config = pulumi.Config()
defaults = config.get_object("defaults") or {}
apps = [AppConfig(**{**defaults, **entry}) for entry in config.require_object("apps")]

for app in apps:
    labels = {"app": app.name, "tier": config.get("tier", "web")}
    k8s.apps.v1.Deployment(
        app.name,
        metadata={"name": app.name, "labels": labels},
        spec={
            "replicas": app.replicas,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {
                    "containers": [
                        {
                            "name": app.name,
                            "image": app.image,
                            "env": [
                                {"name": key, "value": str(value)}
                                for key, value in sorted((app.env or {}).items())
                            ],
                        }
                    ]
                },
            },
        },
    )
    for index, host in enumerate(app.hosts):
        k8s.core.v1.Service(
            f"{app.name}-{index}",
            metadata={"annotations": {"external-dns.alpha.kubernetes.io/hostname": host}},
            spec={"selector": labels, "ports": [{"port": 80}]},
        )

k8s.core.v1.ConfigMap(
    "limits",
    data={
        "float": str(config.require_float("ratio")),
        "int": str(config.require_int("largest")),
        "bool": str(config.get_bool("debug")),
        "missing": str(config.get("missing")),
    },
)
