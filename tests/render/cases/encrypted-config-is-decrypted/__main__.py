import pulumi
import pulumi_kubernetes as k8s

config = pulumi.Config()
k8s.core.v1.Secret(
    "login",
    string_data={
        "password": config.require_secret("password"),
        "nested": config.require_secret_object("nested").apply(lambda nested: nested["deep"][0]),
    },
)
