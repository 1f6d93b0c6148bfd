import pulumi
import pulumi_kubernetes as k8s


def settings(name, **options):
    return k8s.core.v1.ConfigMap(
        name, data={"name": name}, opts=pulumi.ResourceOptions(**options)
    )


first = settings("protected", protect=True)
settings("ignoring", ignore_changes=["data.name", "metadata.annotations"])
settings("replaced-first", delete_before_replace=True)
settings("retained", retain_on_delete=True)
settings("slow", custom_timeouts=pulumi.CustomTimeouts(create="30m", update="5m", delete="1h"))
settings("replacing", replace_on_changes=["data"])
settings("goes-with-another", deleted_with=first)
settings("after-another", depends_on=[first])
settings("after-later", depends_on=pulumi.Output.from_input([first]))
settings("versioned", version="4.24.1")
