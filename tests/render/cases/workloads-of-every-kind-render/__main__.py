import pulumi_kubernetes as k8s

NAMESPACE = "jobs"


def pod(name: str, image: str, **extra):
    return {
        "metadata": {"labels": {"app": name}},
        "spec": {"containers": [{"name": name, "image": image}], **extra},
    }


def selector(name: str):
    return {"matchLabels": {"app": name}}


database = k8s.apps.v1.StatefulSet(
    "database",
    metadata={"namespace": NAMESPACE},
    spec={
        "serviceName": "database",
        "replicas": 2,
        "selector": selector("database"),
        "template": pod("database", "postgres:17", terminationGracePeriodSeconds=60),
        "podManagementPolicy": "Parallel",
        "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 1}},
        "volumeClaimTemplates": [
            {
                "metadata": {"name": "data"},
                "spec": {
                    "accessModes": ["ReadWriteOnce"],
                    "resources": {"requests": {"storage": "10Gi"}},
                },
            }
        ],
    },
)
k8s.apps.v1.DaemonSet(
    "agent",
    metadata={"namespace": NAMESPACE},
    spec={
        "selector": selector("agent"),
        "template": pod(
            "agent",
            "agent:3",
            hostNetwork=True,
            tolerations=[{"operator": "Exists", "effect": "NoSchedule"}],
            nodeSelector={"kubernetes.io/os": "linux"},
        ),
    },
)
k8s.batch.v1.Job(
    "migrate",
    metadata={"namespace": NAMESPACE},
    spec={
        "backoffLimit": 3,
        "ttlSecondsAfterFinished": 600,
        "template": pod("migrate", "app:1", restartPolicy="Never"),
    },
)
k8s.batch.v1.CronJob(
    "report",
    metadata={"namespace": NAMESPACE},
    spec={
        "schedule": "*/15 0-6 * * 1-5",
        "timeZone": "Etc/UTC",
        "concurrencyPolicy": "Forbid",
        "successfulJobsHistoryLimit": 1,
        "jobTemplate": {"spec": {"template": pod("report", "app:1", restartPolicy="OnFailure")}},
    },
)
k8s.autoscaling.v2.HorizontalPodAutoscaler(
    "database",
    metadata={"namespace": NAMESPACE},
    spec={
        "scaleTargetRef": {
            "apiVersion": database.api_version,
            "kind": database.kind,
            "name": database.metadata["name"],
        },
        "minReplicas": 2,
        "maxReplicas": 6,
        "metrics": [
            {
                "type": "Resource",
                "resource": {
                    "name": "cpu",
                    "target": {"type": "Utilization", "averageUtilization": 80},
                },
            }
        ],
    },
)
k8s.policy.v1.PodDisruptionBudget(
    "database",
    metadata={"namespace": NAMESPACE},
    spec={"maxUnavailable": "50%", "selector": selector("database")},
)
k8s.core.v1.Pod("debug", metadata={"namespace": NAMESPACE}, spec=pod("debug", "busybox")["spec"])
