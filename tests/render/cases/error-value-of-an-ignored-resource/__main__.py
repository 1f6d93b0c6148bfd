import pulumi
import pulumi_kubernetes as k8s


class Bucket(pulumi.CustomResource):
    arn: pulumi.Output[str]

    def __init__(self, name):
        super().__init__("aws:s3/bucket:Bucket", name, {"acl": "private", "arn": None})


files = Bucket("files")
k8s.core.v1.ConfigMap("settings", data={"arn": files.arn})
pulumi.export("arn", files.arn)
