"""A plugin that somebody else publishes, with the plugin.yaml that is in its image."""

import pulumi

from argocd_cmp import ConfigManagementPlugin

config = pulumi.Config()
plugin = ConfigManagementPlugin(
    "lovely",
    {
        # As the plugin.yaml in the image of argocd-lovely-plugin has it, with all its parameters.
        "plugin_name": "argocd-lovely-plugin",
        "version": "v1.0",
        "plugin_yaml_in_image": True,
        # For example ghcr.io/crumbhole/argocd-lovely-plugin-cmp, by its digest.
        "image": config.require("image"),
        "env": {"LOVELY_PLUGINS": "", "HELM_CACHE_HOME": "/var/lib/argocd-plugin/cache/helm"},
        "credentials_env": {"GIT_TOKEN": config.require_secret("gitToken")},
        "await_rollout": config.get_bool("awaitRollout", True),
    },
)
pulumi.export("pluginName", plugin.plugin_name)
pulumi.export("containerName", plugin.container_name)
