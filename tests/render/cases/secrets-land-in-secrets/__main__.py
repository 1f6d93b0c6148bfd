import pulumi
import pulumi_kubernetes as k8s

config = pulumi.Config()
password = config.require_secret("password")
k8s.core.v1.Secret(
    "login",
    string_data={"password": password, "url": pulumi.Output.concat("db://u:", password, "@host")},
)
