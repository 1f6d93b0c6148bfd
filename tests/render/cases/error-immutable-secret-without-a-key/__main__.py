import pulumi_kubernetes as k8s

k8s.core.v1.Secret("login", immutable=True, string_data={"password": "canary-1"})
