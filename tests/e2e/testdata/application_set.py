"""Two plugins, a project, an Application that takes its objects with it, and sets of them."""

import pulumi

from components import (
    ManifestWorkPlugin,
    PluginApplication,
    PluginApplicationSet,
    PluginProject,
    PulumiPlugin,
)

IN_CLUSTER = "https://kubernetes.default.svc"

config = pulumi.Config()
repository = config.require("repository")
plugin = PulumiPlugin("pulumi", {"image": config.require("image"), "await_rollout": False})
works = ManifestWorkPlugin("works", {"image": config.require("image"), "await_rollout": False})
project = PluginProject(
    "apps",
    {
        "source_repos": [repository],
        "destinations": [
            {"server": IN_CLUSTER, "namespace": "of-*"},
            {"name": "in-cluster", "namespace": "edge-*"},
        ],
        "cluster_resource_whitelist": [{"group": "", "kind": "Namespace"}],
    },
)
source = {
    "plugin_name": plugin.plugin_name,
    "repo_url": repository,
    "target_revision": "main",
    "project": project.project_name,
}
delivered = {"automated": True, "prune": True, "sync_options": ["CreateNamespace=true"]}

if config.get_bool("shortLived"):
    PluginApplication(
        "short-lived",
        {
            **source,
            **delivered,
            "path": "apps/blue",
            "destination_namespace": "of-short-lived",
            "preserve_resources": False,
        },
    )
folders = {"git": {"directories": [{"path": "apps/*"}, {"path": "apps/archive", "exclude": True}]}}
PluginApplicationSet(
    "monorepo",
    {
        **source,
        **delivered,
        "generators": [folders],
        "application_name": "{{.path.basename}}",
        "path": "{{.path.path}}",
        "destination_namespace": "of-{{.path.basename}}",
        "map_parameters": {"config": {"replicas": "2"}},
    },
)
PluginApplicationSet(
    "pairs",
    {
        **source,
        "generators": [
            {
                "matrix": {
                    "generators": [folders, {"list": {"elements": [{"size": 1}, {"size": 3}]}}]
                }
            }
        ],
        "application_name": "{{.path.basename}}-of-{{.size}}",
        "path": "{{.path.path}}",
        "destination_namespace": "of-{{.path.basename}}",
        "map_parameters": {"config": {"replicas": "{{.size}}"}},
        "labels": {"size": "{{.size}}"},
    },
)
PluginApplicationSet(
    "placed",
    {
        **source,
        "automated": True,
        "plugin_name": works.plugin_name,
        "generators": [
            {
                "clusterDecisionResource": {
                    "configMapRef": "placements",
                    "labelSelector": {
                        "matchLabels": {"cluster.open-cluster-management.io/placement": "site"}
                    },
                    "requeueAfterSeconds": 5,
                }
            }
        ],
        "application_name": "site-{{.name}}",
        "path": "site",
        # The hub, whatever cluster the ManifestWork is for.
        "destination_server": IN_CLUSTER,
        "destination_namespace": "edge-hub",
        "array_parameters": {"clusters": ["{{.name}}"]},
    },
)
pulumi.export("containerNames", [plugin.container_name, works.container_name])
