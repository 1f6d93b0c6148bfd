"""A plugin that runs `helm template` and then `kustomize build`, from an image that has both."""

from pathlib import Path

import pulumi

from argocd_cmp import ConfigManagementPlugin

config = pulumi.Config()
plugin = ConfigManagementPlugin(
    "helm-kustomize",
    {
        "plugin_name": "helm-kustomize",
        "version": "v1",
        # With sh, helm and kustomize on its PATH: Argo CD's own image is one.
        "image": config.require("image"),
        "generate_command": ["/opt/plugin/scripts/render.sh"],
        "scripts": {"render.sh": Path(__file__).with_name("render.sh").read_text()},
        # Charts with a library, or a large repository, want more room than the default.
        "volumes": [{"name": "charts", "mount_path": "/charts", "source": {"emptyDir": {}}}],
        "await_rollout": config.get_bool("awaitRollout", True),
    },
)
pulumi.export("pluginName", plugin.plugin_name)
pulumi.export("containerName", plugin.container_name)
