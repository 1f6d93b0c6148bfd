import pulumi_kubernetes as k8s

rules = [
    {
        "apiGroups": ["apps"],
        "apiVersions": ["v1"],
        "operations": ["CREATE", "UPDATE"],
        "resources": ["deployments"],
        "scope": "Namespaced",
    }
]
k8s.admissionregistration.v1.ValidatingWebhookConfiguration(
    "checks",
    webhooks=[
        {
            "name": "checks.example.com",
            "admissionReviewVersions": ["v1"],
            "clientConfig": {
                "service": {"name": "checks", "namespace": "system", "path": "/check", "port": 443},
                "caBundle": "Q0E=",
            },
            "failurePolicy": "Ignore",
            "rules": rules,
            "sideEffects": "None",
            "timeoutSeconds": 5,
        }
    ],
)
k8s.admissionregistration.v1.ValidatingAdmissionPolicy(
    "few-replicas",
    spec={
        "failurePolicy": "Fail",
        "matchConstraints": {"resourceRules": rules},
        "validations": [{"expression": "object.spec.replicas <= 5", "message": "too many"}],
    },
)
k8s.scheduling.v1.PriorityClass("high", value=1000000, global_default=False, description="first")
k8s.apiregistration.v1.APIService(
    "v1beta1.metrics.k8s.io",
    spec={
        "group": "metrics.k8s.io",
        "version": "v1beta1",
        "groupPriorityMinimum": 100,
        "versionPriority": 100,
        "insecureSkipTLSVerify": True,
        "service": {"name": "metrics-server", "namespace": "kube-system"},
    },
)
k8s.coordination.v1.Lease(
    "leader", spec={"holderIdentity": "one", "leaseDurationSeconds": 15, "acquireTime": "2024-01-01T00:00:00.000000Z"}
)
