import base64
import json

import pulumi
import pulumi_kubernetes as k8s

config = pulumi.Config()
password = config.require_secret("password")
users = config.require_secret_object("users")

k8s.core.v1.Secret(
    "database",
    type="Opaque",
    string_data={
        "url": pulumi.Output.format("postgres://app:{0}@db:5432/app", password),
        "users.json": users.apply(lambda entries: json.dumps(entries, sort_keys=True)),
    },
    data={"password": password.apply(lambda text: base64.b64encode(text.encode()).decode())},
    immutable=True,
)
registry = pulumi.Output.all(password).apply(
    lambda values: json.dumps(
        {"auths": {"registry.example.com": {"username": "bot", "password": values[0]}}}
    )
)
k8s.core.v1.Secret(
    "registry",
    type="kubernetes.io/dockerconfigjson",
    string_data={".dockerconfigjson": registry},
)
k8s.core.v1.ConfigMap("public", data={"region": config.require("region")})
