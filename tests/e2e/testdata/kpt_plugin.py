"""The kpt plugin, as a sidecar or as a Service of its own."""

from typing import Any

import pulumi

from components import KptPlugin

config = pulumi.Config()
args: dict[str, Any] = {
    "image": config.require("image"),
    "mode": config.require("mode"),
    "discovery": True,
    "annotation_domain": "argocd.example.org",
    "await_rollout": config.require_bool("awaitRollout"),
}
if args["mode"] == "service":
    args |= {
        "certificates": "existing",
        "server_secret": "kpt-server",
        "client_secret": "kpt-client",
        "nameservers": config.require_object("nameservers"),
    }
plugin = KptPlugin("kpt", args)  # type: ignore[arg-type]
pulumi.export("containerName", plugin.container_name)
pulumi.export("pluginName", plugin.plugin_name)
