"""A stack of somebody else's that has the wheel and nothing of this repository."""

import argocd_cmp
import pulumi

config = pulumi.Config()
image = argocd_cmp.PluginImage("image", {"reference": config.require("imageReference")})
plugin = argocd_cmp.PulumiPlugin(
    "pulumi",
    {"image": image.image_ref, "await_rollout": config.require_bool("awaitRollout")},
)

pulumi.export("containerName", plugin.container_name)
pulumi.export("package", argocd_cmp.__file__)
