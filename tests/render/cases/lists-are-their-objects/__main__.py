import pulumi_kubernetes as k8s

k8s.core.v1.ConfigMapList(
    "several",
    items=[
        {"metadata": {"name": "one"}, "data": {"a": "1"}},
        {"metadata": {"name": "two"}, "data": {"a": "2"}},
    ],
)
