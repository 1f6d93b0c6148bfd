import pulumi
import pulumi_kubernetes as k8s

HOSTS = {"shop.example.com": "shop", "api.example.com": "api"}

ingress_class = k8s.networking.v1.IngressClass(
    "internal",
    metadata={"annotations": {"ingressclass.kubernetes.io/is-default-class": "false"}},
    spec={"controller": "example.com/ingress"},
)
services = {
    name: k8s.core.v1.Service(
        name,
        spec={
            "type": "ClusterIP",
            "clusterIP": "None" if name == "api" else None,
            "selector": {"app": name},
            "ports": [
                {"name": "http", "port": 80, "targetPort": 8080},
                {"name": "metrics", "port": 9090, "targetPort": "metrics"},
            ],
        },
    )
    for name in HOSTS.values()
}
k8s.networking.v1.Ingress(
    "shop",
    metadata={
        "annotations": {
            "cert-manager.io/cluster-issuer": "letsencrypt",
            "nginx.ingress.kubernetes.io/proxy-body-size": "8m",
        }
    },
    spec={
        "ingressClassName": ingress_class.metadata.name,
        "tls": [{"hosts": list(HOSTS), "secretName": "shop-tls"}],
        "rules": [
            {
                "host": host,
                "http": {
                    "paths": [
                        {
                            "path": "/",
                            "pathType": "Prefix",
                            "backend": {
                                "service": {
                                    "name": services[name].metadata.name,
                                    "port": {"number": services[name].spec.ports[0].port},
                                }
                            },
                        }
                    ]
                },
            }
            for host, name in HOSTS.items()
        ],
    },
)
k8s.networking.v1.NetworkPolicy(
    "deny-all",
    spec={"podSelector": {}, "policyTypes": ["Ingress", "Egress"]},
)
k8s.networking.v1.NetworkPolicy(
    "api",
    spec={
        "podSelector": {"matchLabels": {"app": "api"}},
        "policyTypes": ["Ingress"],
        "ingress": [
            {
                "from": [
                    {"podSelector": {"matchLabels": {"app": "shop"}}},
                    {"ipBlock": {"cidr": "10.0.0.0/8", "except": ["10.9.0.0/16"]}},
                ],
                "ports": [{"port": 8080, "protocol": "TCP"}],
            }
        ],
    },
)
k8s.core.v1.Service(
    "outside", spec={"type": "ExternalName", "externalName": "database.example.com"}
)
pulumi.export("hosts", [f"https://{host}" for host in HOSTS])
