import pulumi_kubernetes as k8s

k8s.core.v1.ResourceQuota(
    "quota",
    spec={"hard": {"cpu": "1000m", "memory": "1024Mi", "pods": "10", "requests.storage": "0.5Ti"}},
)
k8s.core.v1.LimitRange(
    "limits",
    spec={
        "limits": [
            {
                "type": "Container",
                "default": {"cpu": "0.5", "memory": "512M"},
                "defaultRequest": {"cpu": 1, "memory": "128974848"},
            }
        ]
    },
)
k8s.apps.v1.Deployment(
    "web",
    spec={
        "replicas": 0,
        "minReadySeconds": 0,
        "paused": False,
        "selector": {"matchLabels": {"app": "web"}},
        "strategy": {"rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 0}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {
                "terminationGracePeriodSeconds": 0,
                "priority": -10,
                "hostNetwork": False,
                "containers": [
                    {
                        "name": "web",
                        "image": "web",
                        "env": [{"name": "EMPTY", "value": ""}],
                        "securityContext": {
                            "runAsUser": 0,
                            "privileged": False,
                            "capabilities": {"drop": ["ALL"], "add": []},
                        },
                        "livenessProbe": {
                            "httpGet": {"port": 8080, "path": "/", "scheme": "HTTPS"},
                            "initialDelaySeconds": 0,
                            "failureThreshold": 10,
                        },
                    }
                ],
                "volumes": [
                    {"name": "scratch", "emptyDir": {}},
                    {"name": "memory", "emptyDir": {"medium": "Memory", "sizeLimit": "1.5Gi"}},
                    {"name": "secret", "secret": {"secretName": "x", "defaultMode": 0o400}},
                ],
            },
        },
    },
)
