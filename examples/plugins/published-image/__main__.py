"""A plugin that somebody else publishes: its image, and the commands that its docs name."""

import pulumi

from argocd_cmp import ConfigManagementPlugin

config = pulumi.Config()
plugin = ConfigManagementPlugin(
    "lovely",
    {
        # As docs of argocd-lovely-plugin have it; its image brings no shell script of ours.
        "plugin_name": "argocd-lovely-plugin",
        "version": "v1.0",
        # For example ghcr.io/crumbhole/argocd-lovely-plugin-cmp, by its digest.
        "image": config.require("image"),
        "generate_command": ["argocd-lovely-plugin"],
        "env": {"LOVELY_PLUGINS": "", "HELM_CACHE_HOME": "/var/lib/argocd-plugin/cache/helm"},
        "credentials_env": {"GIT_TOKEN": config.require_secret("gitToken")},
        "await_rollout": config.get_bool("awaitRollout", True),
    },
)
pulumi.export("pluginName", plugin.plugin_name)
pulumi.export("containerName", plugin.container_name)
