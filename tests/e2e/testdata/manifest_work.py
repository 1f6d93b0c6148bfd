"""The plugin for ManifestWorks, and what Argo CD has to know about them."""

import pulumi

from components import HealthCheck, ManifestWorkPlugin

config = pulumi.Config()
service = {
    "mode": "service",
    "certificates": "existing",
    "server_secret": "works-server",
    "client_secret": "works-client",
    "nameservers": config.get_object("nameservers"),
}
plugin = ManifestWorkPlugin(
    "works",
    {
        "image": config.require("image"),
        "await_rollout": config.get_bool("awaitRollout", False),
        **(service if config.get("mode") == "service" else {}),
    },
)
HealthCheck("health", {"kind": "ManifestWork"})
pulumi.export("pluginName", plugin.plugin_name)
pulumi.export("containerName", plugin.container_name)
