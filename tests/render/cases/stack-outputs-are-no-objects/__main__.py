import pulumi
import pulumi_kubernetes as k8s

settings = k8s.core.v1.ConfigMap("settings", data={"a": "1"})
pulumi.export("resource", settings)
pulumi.export("name", settings.metadata.name)
pulumi.export("secret", pulumi.Output.secret("hidden"))
pulumi.export("nested", {"list": [1, settings.metadata.name, None], "data": settings.data})
pulumi.export("looks-like-one", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}})
