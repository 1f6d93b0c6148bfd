import pulumi
import pulumi_kubernetes as k8s

SKIP = {"pulumi.com/skipAwait": "true"}
POD = {"containers": [{"name": "a", "image": "a"}], "restart_policy": "Never"}


def after(*others):
    return pulumi.ResourceOptions(depends_on=list(others))


def job(name, opts=None, annotations=None):
    metadata = {"name": name, "annotations": annotations or {}}
    return k8s.batch.v1.Job(name, metadata=metadata, spec={"template": {"spec": POD}}, opts=opts)


def config(name, opts=None, **data):
    return k8s.core.v1.ConfigMap(name, data=data, opts=opts)


migration = job("migration")
config("after-a-job", after(migration))
config("uses-a-job", of=migration.metadata.name)

config("after-what-nobody-waits-for", after(config("settings")))
config("after-a-job-that-is-not-awaited", after(job("background", annotations=SKIP)))

claim = k8s.core.v1.PersistentVolumeClaim(
    "claim",
    spec={"access_modes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    opts=after(migration),
)
config("after-a-claim-that-is-after-a-job", after(claim))

part = pulumi.ComponentResource("shop:index:Part", "part")
job("job-of-a-part", pulumi.ResourceOptions(parent=part))
config("after-a-part", after(part))

late = pulumi.ComponentResource("shop:index:Part", "late", opts=after(migration))
inner = pulumi.ComponentResource("shop:index:Part", "inner", opts=pulumi.ResourceOptions(parent=late))
config("of-a-part-that-is-after-a-job", pulumi.ResourceOptions(parent=inner))

files = k8s.yaml.ConfigFile("files", file="files.yaml", opts=after(migration))

group = k8s.yaml.v2.ConfigGroup(
    "group",
    objs=[
        {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": "job-of-a-group", "namespace": "default"},
            "spec": {"template": {"spec": {"containers": [], "restartPolicy": "Never"}}},
        }
    ],
    opts=after(migration),
)
config("after-a-group-that-is-after-a-job", after(group))
