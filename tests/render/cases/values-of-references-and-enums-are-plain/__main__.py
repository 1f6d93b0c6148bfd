import pulumi
import pulumi_kubernetes as k8s
from pulumi_kubernetes.core.v1 import ServiceSpecType

service = k8s.core.v1.Service(
    "web", spec={"type": ServiceSpecType.NODE_PORT, "ports": [{"port": 80, "name": "http"}]}
)
k8s.apiextensions.CustomResource(
    "route",
    api_version="gateway.networking.k8s.io/v1",
    kind="HTTPRoute",
    spec={
        "parentRefs": [{"name": "gateway", "port": None}],
        "rules": [
            {
                "backendRefs": [
                    {
                        "name": service.metadata["name"],
                        "port": service.spec.apply(lambda spec: spec.ports[0].port),
                        "weight": 1,
                    }
                ],
                "timeouts": {"request": "0s"},
            }
        ],
    },
)
app = pulumi.ComponentResource("example:index:App", "app")
k8s.core.v1.ConfigMap("owners", data={"app": app})
