import pulumi
import pulumi_kubernetes as k8s

config = pulumi.Config()
k8s.core.v1.ConfigMap(
    "settings",
    data={
        "text": config.require("text"),
        "default": config.require("fallback"),
        "override": config.require("override"),
        "number": str(config.require_int("number")),
        "flag": str(config.require_bool("flag")),
        "list": str(config.require_object("list")),
        "other": pulumi.Config("other").require("key"),
        "stack": pulumi.get_stack(),
        "project": pulumi.get_project(),
    },
)
