"""A proxy of another stack, in the same repo-server's pod."""

import pulumi

from components import PluginProxy

config = pulumi.Config()
PluginProxy(
    "proxy",
    {
        "proxy_name": "another",
        "proxy_metrics_port": config.get_int("proxyMetricsPort"),
        "plugins": [
            {"plugin_name": "cow-v1", "host": "cmp-cow-v1.argocd.svc", "client_secret": "cow"}
        ],
        "await_rollout": False,
    },
)
