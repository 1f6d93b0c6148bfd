import pulumi
import pulumi_kubernetes as k8s


def fail(args: pulumi.ResourceHookArgs):
    raise AssertionError("hooks are for creating, changing and deleting")


never = pulumi.ResourceHook("never", fail)
k8s.core.v1.ConfigMap(
    "settings",
    data={"a": "1"},
    opts=pulumi.ResourceOptions(
        hooks=pulumi.ResourceHookBinding(before_delete=[never], after_update=[never])
    ),
)
