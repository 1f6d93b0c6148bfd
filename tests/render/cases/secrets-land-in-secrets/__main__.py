import pulumi
import pulumi_kubernetes as k8s

config = pulumi.Config()
password = config.require_secret("password")
login = k8s.core.v1.Secret(
    "login",
    string_data={"password": password, "url": pulumi.Output.concat("db://u:", password, "@host")},
)
k8s.core.v1.Secret("copy", data=login.data)
