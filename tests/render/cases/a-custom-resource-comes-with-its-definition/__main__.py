import pulumi
import pulumi_kubernetes as k8s

definition = k8s.apiextensions.v1.CustomResourceDefinition(
    "backups.example.com",
    spec={
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"plural": "backups", "singular": "backup", "kind": "Backup", "shortNames": ["bk"]},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {
                                "type": "object",
                                "required": ["schedule"],
                                "properties": {
                                    "schedule": {"type": "string"},
                                    "keep": {"type": "integer", "minimum": 0, "default": 7, "maximum": 10**17},
                                    "size": {"x-kubernetes-int-or-string": True},
                                },
                                "x-kubernetes-preserve-unknown-fields": True,
                            },
                            "status": {"type": "object", "properties": {"last": {"type": "string"}}},
                        },
                    }
                },
                "subresources": {"status": {}},
                "additionalPrinterColumns": [
                    {"name": "Last", "type": "string", "jsonPath": ".status.last"}
                ],
            }
        ],
    },
)
nightly = k8s.apiextensions.CustomResource(
    "nightly",
    api_version="example.com/v1",
    kind="Backup",
    metadata={"namespace": "databases"},
    spec={"schedule": "0 3 * * *", "keep": 0, "size": "10Gi", "targets": [{"name": "a", "full": False}]},
    opts=pulumi.ResourceOptions(depends_on=[definition]),
)
k8s.apiextensions.CustomResource(
    "certificate",
    api_version="cert-manager.io/v1",
    kind="Certificate",
    metadata=k8s.meta.v1.ObjectMetaArgs(labels={"of": nightly.metadata["name"]}),
    spec={
        "secretName": "tls",
        "dnsNames": ["example.com", "*.example.com"],
        "issuerRef": {"name": "letsencrypt", "kind": "ClusterIssuer"},
        "duration": "2160h0m0s",
    },
)
