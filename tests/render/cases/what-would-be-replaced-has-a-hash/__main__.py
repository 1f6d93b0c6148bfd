import pulumi
import pulumi_kubernetes as k8s

config = pulumi.Config()


def containers(**fields):
    return {"restartPolicy": "Never", "containers": [{"name": "main", "image": "shop", **fields}]}


settings = k8s.core.v1.ConfigMap("settings", data={"size": config.require("plain")})
login = k8s.core.v1.Secret("login", string_data={"password": config.require_secret("password")})
sources = [
    {"configMapRef": {"name": settings.metadata.name}},
    {"secretRef": {"name": login.metadata.name}},
]
job = k8s.batch.v1.Job(
    "migrate",
    spec={"template": {"spec": containers(envFrom=sources)}},
)
k8s.core.v1.Pod(
    "probe",
    spec=containers(args=[job.metadata.name]),
    opts=pulumi.ResourceOptions(delete_before_replace=True),
)

labels = {"app": "web"}
k8s.apps.v1.Deployment(
    "web",
    spec={
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": {"containers": [
            {"name": "web", "image": "shop", "envFrom": sources},
        ]}},
    },
)
k8s.core.v1.PersistentVolumeClaim(
    "data",
    spec={"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    opts=pulumi.ResourceOptions(replace_on_changes=["*"]),
)

k8s.core.v1.ConfigMap("named", metadata={"name": "own-name"}, data={"a": "1"})
k8s.core.v1.ConfigMap("empty")
k8s.core.v1.ConfigMap(
    "ignored", data={"a": "1"}, opts=pulumi.ResourceOptions(ignore_changes=["data"])
)
k8s.batch.v1.Job(
    "hook",
    metadata={"annotations": {"argocd.argoproj.io/hook": "PreSync"}},
    spec={"template": {"spec": containers()}},
)
