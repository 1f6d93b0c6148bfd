"""A plugin that is a shell script of five lines, in whatever image has a shell."""

from pathlib import Path

import pulumi

from argocd_cmp import ConfigManagementPlugin

config = pulumi.Config()
plugin = ConfigManagementPlugin(
    "cat",
    {
        "plugin_name": "cat",
        "version": "v1",
        # For example docker.io/library/busybox, by its digest.
        "image": config.require("image"),
        "generate_command": ["/opt/plugin/scripts/render.sh"],
        "scripts": {"render.sh": Path(__file__).with_name("render.sh").read_text()},
        "await_rollout": config.get_bool("awaitRollout", True),
    },
)
pulumi.export("pluginName", plugin.plugin_name)
pulumi.export("containerName", plugin.container_name)
