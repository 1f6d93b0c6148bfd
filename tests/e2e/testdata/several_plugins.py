"""Several plugins, and two versions of one, of which the configuration says which are there."""

from collections.abc import Callable

import pulumi

from components import ConfigManagementPlugin, KptPlugin, ManifestWorkPlugin, PulumiPlugin
from components.catalog.renderer_plugin import RendererPlugin

config = pulumi.Config()
image = config.require("image")

PLUGINS: dict[str, Callable[[str], RendererPlugin | ConfigManagementPlugin]] = {
    "pulumi-v1.0": lambda name: PulumiPlugin(name, {"image": image, "await_rollout": False}),
    "pulumi-v1.1": lambda name: PulumiPlugin(
        name, {"image": image, "version": "v1.1", "await_rollout": False}
    ),
    "kpt-v1.0": lambda name: KptPlugin(name, {"image": image, "await_rollout": False}),
    "manifest-work-v1.0": lambda name: ManifestWorkPlugin(
        name, {"image": image, "await_rollout": False}
    ),
    "cat-v1": lambda name: ConfigManagementPlugin(
        name,
        {
            "plugin_name": "cat",
            "version": "v1",
            "image": image,
            "generate_command": ["sh", "-c", "cat *.yaml"],
            "await_rollout": False,
        },
    ),
}

installed = [PLUGINS[name](name) for name in config.require_object("installed")]
pulumi.export("containers", [plugin.container_name for plugin in installed])
