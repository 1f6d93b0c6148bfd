import base64

import pulumi
import pulumi_kubernetes as k8s

service = k8s.core.v1.Service("web", spec={"type": "LoadBalancer", "ports": [{"port": 80}]})
pulumi.export("address", service.status.apply(lambda s: s.load_balancer.ingress[0].ip))
pulumi.export("url", pulumi.Output.concat("http://", service.status.load_balancer.ingress[0].hostname))
pulumi.export("ip", service.spec.cluster_ip)
pulumi.export("uid", service.metadata.uid.apply(lambda uid: uid.upper()))

account = k8s.core.v1.ServiceAccount("deployer")
token = k8s.core.v1.Secret(
    "token",
    metadata={
        "name": "token",
        "annotations": {"kubernetes.io/service-account.name": account.metadata.name},
    },
    type="kubernetes.io/service-account-token",
)
pulumi.export("token", token.data["token"].apply(lambda text: base64.b64decode(text).decode()))
