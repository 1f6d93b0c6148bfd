"""Two plugins in service mode behind one proxy, which is all that the repo-server's pod gets."""

import pulumi

from components import ConfigManagementPlugin, PluginProxy

config = pulumi.Config()


def plugin(name: str, user: str | None = None) -> ConfigManagementPlugin:
    """A plugin that prints the files of an Application, in its own time."""
    return ConfigManagementPlugin(
        name,
        {
            "plugin_name": name,
            "version": "v1",
            "image": config.require("image"),
            "proxy_image": config.get("proxyImage"),
            "generate_command": ["sh", "-c", "sleep ${ARGOCD_ENV_SECONDS:-0}; cat *.yaml"],
            "run_as_user": user,
            "run_as_group": "0" if user else None,
            "mode": "service",
            "own_proxy": False,
            "max_replicas": 4,
            "renders_metric": "haproxy_backend_current_sessions",
            "drain_seconds": config.get_int("drainSeconds", 5),
            "grace_seconds": 30,
            "certificates": "existing",
            "server_secret": f"{name}-server",
            "client_secret": f"{name}-client",
            "await_rollout": config.get_bool("awaitRollout"),
        },
    )


plugins = [plugin("cat"), plugin("dog", config.get("dogsUser"))]
proxy = PluginProxy(
    "proxy",
    {
        "plugins": [
            {
                "plugin_name": one.plugin_name,
                "host": one.service_host,
                "client_secret": one.client_secret_name,
            }
            for one in plugins
        ],
        "nameservers": config.get_object("nameservers"),
        "proxy_image": config.get("proxyImage"),
        "await_rollout": config.get_bool("awaitRollout"),
    },
)
pulumi.export("containerName", proxy.container_name)
pulumi.export("pluginNames", [one.plugin_name for one in plugins])
