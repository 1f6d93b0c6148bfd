import pulumi
import pulumi_kubernetes as k8s


def ignoring(*paths, **options):
    return pulumi.ResourceOptions(ignore_changes=[*paths], **options)


def workload(name):
    labels = {"app": name}
    containers = [{"name": "app", "image": "app:1"}]
    return {
        "replicas": 3,
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": {"containers": containers}},
    }


# What the program says.
k8s.apps.v1.Deployment(
    "web",
    metadata={"annotations": {"example.com/owner": "web"}},
    spec=workload("web"),
    opts=ignoring("spec.replicas", "spec.template.spec.containers[0].image"),
)
k8s.core.v1.ConfigMap(
    "settings",
    metadata={
        "labels": {"app.kubernetes.io/part-of": "shop"},
        "annotations": {"example.com/owner": "web", "argocd.argoproj.io/sync-options": "Validate=false"},
    },
    data={"a": "1"},
    opts=ignoring("metadata", "data[*]", protect=True),
)
k8s.core.v1.Secret("login", string_data={"user": "a"}, opts=ignoring("string_data", "type"))


class Shop(pulumi.ComponentResource):
    def __init__(self, name, opts=None):
        super().__init__("case:index:Shop", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        k8s.core.v1.ConfigMap(f"{name}-child", data={}, opts=child)


def ignore_data(args):
    merged = pulumi.ResourceOptions.merge(args.opts, pulumi.ResourceOptions(ignore_changes=["data"]))
    return pulumi.ResourceTransformResult(args.props, merged)


# Children have none of their component's, and all of its transforms.
Shop("inherited", ignoring("data"))
Shop("transformed", pulumi.ResourceOptions(transforms=[ignore_data]))

# What autoscalers write.
scaled = k8s.apps.v1.Deployment("scaled", spec=workload("scaled"))
k8s.autoscaling.v2.HorizontalPodAutoscaler(
    "scaled",
    spec={
        "maxReplicas": 9,
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": scaled.metadata.name},
    },
)
k8s.apps.v1.StatefulSet(
    "queue", metadata={"namespace": "queues"}, spec={**workload("queue"), "serviceName": "queue"}
)
k8s.apiextensions.CustomResource(
    "queue",
    api_version="keda.sh/v1alpha1",
    kind="ScaledObject",
    metadata={"namespace": "queues"},
    spec={"scaleTargetRef": {"kind": "StatefulSet", "name": "queue"}, "triggers": []},
)
# In another namespace: not this one.
k8s.apps.v1.StatefulSet("other", metadata={"name": "queue"}, spec={**workload("queue"), "serviceName": "q"})

# What other controllers write.
k8s.admissionregistration.v1.ValidatingWebhookConfiguration(
    "checks",
    metadata={"annotations": {"cert-manager.io/inject-ca-from": "system/checks"}},
    webhooks=[
        {
            "name": "checks.example.com",
            "admissionReviewVersions": ["v1"],
            "clientConfig": {"url": "https://checks.example.com", "caBundle": "Q0E="},
            "sideEffects": "None",
        }
    ],
)
k8s.rbac.v1.ClusterRole(
    "all",
    aggregation_rule={"clusterRoleSelectors": [{"matchLabels": {"all": "yes"}}]},
    rules=[{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}],
)

# A Job that deletes itself would come back; a hook runs in each sync anyway.
pods = {"spec": {"restartPolicy": "Never", "containers": [{"name": "job", "image": "job:1"}]}}
k8s.batch.v1.Job("once", spec={"ttlSecondsAfterFinished": 60, "template": pods})
k8s.batch.v1.Job(
    "each",
    metadata={"annotations": {"argocd.argoproj.io/hook": "PostSync"}},
    spec={"ttlSecondsAfterFinished": 60, "template": pods},
)
