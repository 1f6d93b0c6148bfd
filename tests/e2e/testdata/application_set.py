"""The Pulumi plugin, and an Application for each folder of a monorepo."""

import pulumi

from components import PluginApplicationSet, PulumiPlugin

config = pulumi.Config()
plugin = PulumiPlugin("pulumi", {"image": config.require("image"), "await_rollout": False})
PluginApplicationSet(
    "monorepo",
    {
        "plugin_name": plugin.plugin_name,
        "repo_url": config.require("repository"),
        "target_revision": "main",
        "directories": ["apps/*", "!apps/archive"],
        "destination_namespace": "of-{{.path.basename}}",
        "map_parameters": {"config": {"replicas": "2"}},
        "automated": True,
        "prune": True,
        "sync_options": ["CreateNamespace=true"],
    },
)
pulumi.export("containerName", plugin.container_name)
