import pulumi
import pulumi_kubernetes as k8s

previous = None
for number in range(200):
    previous = k8s.core.v1.ConfigMap(
        f"settings-{number:03d}",
        data={"number": str(number), "previous": previous.metadata.name if previous else ""},
        opts=pulumi.ResourceOptions(depends_on=[previous] if previous and number % 10 == 0 else []),
    )
