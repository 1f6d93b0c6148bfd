import pulumi_kubernetes as k8s

k8s.core.v1.ConfigMap("settings", data={"a": "1"})
k8s.core.v1.ConfigMap("elsewhere", metadata={"namespace": "own"}, data={"a": "1"})
k8s.core.v1.Namespace("shop")
k8s.apiextensions.CustomResource("thing", api_version="example.com/v1", kind="Thing", spec={"a": 1})
