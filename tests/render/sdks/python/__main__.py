import pulumi
from pulumi_kubernetes.apps.v1 import Deployment, DeploymentSpecArgs
from pulumi_kubernetes.core.v1 import (
    ContainerArgs,
    PodSpecArgs,
    PodTemplateSpecArgs,
    Secret,
    Service,
    ServicePortArgs,
    ServiceSpecArgs,
)
from pulumi_kubernetes.meta.v1 import LabelSelectorArgs, ObjectMetaArgs
from pulumi_kubernetes.yaml import ConfigGroup

config = pulumi.Config()
labels = {"app": "web"}
deployment = Deployment(
    "web",
    spec=DeploymentSpecArgs(
        replicas=2,
        selector=LabelSelectorArgs(match_labels=labels),
        template=PodTemplateSpecArgs(
            metadata=ObjectMetaArgs(labels=labels),
            spec=PodSpecArgs(containers=[ContainerArgs(name="web", image="nginx")]),
        ),
    ),
)
service = Service("web", spec=ServiceSpecArgs(selector=labels, ports=[ServicePortArgs(port=80)]))
Secret(
    "token",
    string_data={"token": config.require_secret("token"), "of": deployment.metadata.name},
    opts=pulumi.ResourceOptions(depends_on=[service]),
)
# Read by a function of the provider.
ConfigGroup("settings", yaml=['{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "s"}}'])
pulumi.export("address", service.status.apply(lambda status: status.load_balancer.ingress[0].ip))
