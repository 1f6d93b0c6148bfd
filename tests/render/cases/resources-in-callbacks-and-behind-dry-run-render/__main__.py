import pulumi
import pulumi_kubernetes as k8s

first = k8s.core.v1.ConfigMap("first", data={"a": "1"})

def more(name):
    k8s.core.v1.ConfigMap("in-apply", data={"of": name})

first.metadata.name.apply(more)
first.metadata.uid.apply(lambda _: k8s.core.v1.ConfigMap("behind-an-unknown", data={}))
if not pulumi.runtime.is_dry_run():
    k8s.core.v1.ConfigMap("not-in-a-preview", data={})
