import pulumi
import pulumi_kubernetes as k8s
from pulumi_kubernetes.helm.v3 import Chart, LocalChartOpts


def no_status(obj, opts):
    if obj["kind"] == "Service":
        obj["metadata"].setdefault("annotations", {})["changed"] = "by-a-transformation"


chart = Chart(
    "shop",
    LocalChartOpts(
        path="./charts/web",
        namespace="shop",
        values={"replicas": 2, "image": {"tag": "1.27"}, "config": {"a": 1, "b": True, "c": "text"}},
        transformations=[no_status],
    ),
)
service = chart.get_resource("v1/Service", "shop-web", "shop")
k8s.core.v1.ConfigMap(
    "after",
    metadata={"namespace": "shop"},
    data={"type": chart.resources.apply(lambda resources: str(len(resources)))},
    opts=pulumi.ResourceOptions(depends_on=chart.ready),
)
