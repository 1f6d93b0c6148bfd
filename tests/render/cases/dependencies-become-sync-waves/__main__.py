import pulumi
import pulumi_kubernetes as k8s

WAVE = "argocd.argoproj.io/sync-wave"


def after(*others):
    return pulumi.ResourceOptions(depends_on=list(others))


first = k8s.core.v1.ConfigMap("first", data={})
second = k8s.core.v1.ConfigMap("second", data={}, opts=after(first))
k8s.core.v1.ConfigMap("third", data={"of": second.metadata.name})
own = k8s.core.v1.ConfigMap("own", metadata={"annotations": {WAVE: "5"}}, data={}, opts=after(first))
k8s.core.v1.ConfigMap("after-own", data={}, opts=after(own))
k8s.batch.v1.Job(
    "hook",
    metadata={"annotations": {"argocd.argoproj.io/hook": "PreSync"}},
    spec={"template": {"spec": {"containers": [{"name": "a", "image": "a"}], "restart_policy": "Never"}}},
    opts=after(first),
)
