"""Makes the repo-server's Deployment, and a plugin beside it, under the name of the day."""

import pulumi
import pulumi_kubernetes as k8s

from components import PulumiPlugin

config = pulumi.Config()
deployment = config.require_object("deployment")
made = k8s.apps.v1.Deployment(
    "repo-server", metadata=deployment["metadata"], spec=deployment["spec"]
)
former = config.get("formerName")
plugin = PulumiPlugin(
    config.require("pluginName"),
    {
        # Unknown in the first preview, as that of an image which is yet to be built.
        "image": made.id.apply(lambda _: config.require("image")),
        "deployment": deployment["metadata"]["name"],
        "check_deployment": False,
        "await_rollout": False,
    },
    pulumi.ResourceOptions(
        depends_on=[made], aliases=[pulumi.Alias(name=former)] if former else None
    ),
)
pulumi.export("container", plugin.container_name)
