"""Several plugins, and two versions of one, of which the configuration says which are there."""

from collections.abc import Callable

import pulumi

from components import ConfigManagementPlugin, KptPlugin, ManifestWorkPlugin, PulumiPlugin
from components.catalog.renderer_plugin import RendererPlugin

config = pulumi.Config()
image = config.require("image")
ALL = {"image": image, "on_drift": config.get("onDrift"), "await_rollout": False}

PLUGINS: dict[str, Callable[[str], RendererPlugin | ConfigManagementPlugin]] = {
    "pulumi-v1.0": lambda name: PulumiPlugin(name, {**ALL, "image_pull_secrets": ["shared"]}),
    "pulumi-v1.1": lambda name: PulumiPlugin(
        name,
        {
            **ALL,
            "version": "v1.1",
            "image_pull_secrets": ["of-argocd", "shared"],
        },
    ),
    "kpt-v1.0": lambda name: KptPlugin(name, ALL),
    "manifest-work-v1.0": lambda name: ManifestWorkPlugin(name, ALL),
    "cat-v1": lambda name: ConfigManagementPlugin(
        name,
        {
            "plugin_name": "cat",
            "version": "v1",
            **ALL,
            "generate_command": ["sh", "-c", "cat *.yaml"],
            "image_pull_secrets": ["shared", "own"],
            # An annotation of the Deployment that the others must not take for theirs.
            "on_drift": "restore",
        },
    ),
}

installed = [PLUGINS[name](name) for name in config.require_object("installed")]
pulumi.export("containers", [plugin.container_name for plugin in installed])
