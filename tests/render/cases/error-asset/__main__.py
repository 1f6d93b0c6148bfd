import pulumi
import pulumi_kubernetes as k8s

k8s.apiextensions.CustomResource(
    "file", api_version="example.com/v1", kind="File", spec={"content": pulumi.StringAsset("text")}
)
