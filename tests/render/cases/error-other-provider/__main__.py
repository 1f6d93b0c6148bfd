import pulumi
import pulumi_kubernetes as k8s

class Bucket(pulumi.CustomResource):
    def __init__(self, name):
        super().__init__("aws:s3/bucket:Bucket", name, {"acl": "private"})

k8s.core.v1.ConfigMap("settings", data={})
Bucket("files")
Bucket("logs")


class RandomPassword(pulumi.CustomResource):
    result: pulumi.Output[str]

    def __init__(self, name):
        super().__init__("random:index/randomPassword:RandomPassword", name, {"result": None})


password = RandomPassword("password")
password.result.apply(lambda text: k8s.core.v1.Secret("login", string_data={"password": text}))
