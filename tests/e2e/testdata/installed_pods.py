"""Plugins whose arguments have objects of Kubernetes, made with the wheel and Pulumi's mocks."""

import argocd_cmp
import pulumi

IMAGE = "registry.example.com/tools@sha256:" + "0" * 64
TERM = {"matchExpressions": [{"key": "pool", "operator": "In", "values": ["big"]}]}
PLUGIN = {
    "plugin_name": "yaml",
    "version": "v1",
    "image": IMAGE,
    "generate_command": ["/opt/plugin/scripts/render.sh"],
    "scripts": {"render.sh": "#!/bin/sh\ncat *.yaml\n"},
    "volumes": [
        {"name": "ca", "mount_path": "/etc/ca", "source": {"configMap": {"name": "ca"}}},
        {
            "name": "driver",
            "mount_path": "/etc/driver",
            "source": {"csi": {"driver": "d", "volume_attributes": {"a": "b"}}},
        },
    ],
    "env_value_from": {"NODE": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
}
SERVICE = {
    "mode": "service",
    "certificates": "existing",
    "server_secret": "server",
    "client_secret": "client",
    "argocd_image": IMAGE,
    "affinity": {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [TERM]}
        }
    },
    "tolerations": [{"key": "spot", "operator": "Exists", "tolerationSeconds": 60}],
    "topology_spread_constraints": [
        {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}
    ],
}
made: list[str] = []


class Mocks(pulumi.runtime.Mocks):
    """Returns the inputs, and a repo-server as Argo CD's manifests have it."""

    def new_resource(self, args):
        made.append(args.typ)
        if args.typ != "kubernetes:apps/v1:Deployment" or not args.resource_id:
            metadata = {"name": f"{args.name}-1"} | dict(args.inputs.get("metadata") or {})
            return args.name, dict(args.inputs) | {"metadata": metadata}
        pod = {
            "containers": [{"name": "argocd-repo-server", "image": IMAGE}],
            "volumes": [{"name": "plugins"}, {"name": "var-files"}],
        }
        return args.resource_id, {
            "metadata": {"name": "argocd-repo-server"},
            "spec": {"template": {"spec": pod}},
        }

    def call(self, args):
        return {}


@pulumi.runtime.test
def install() -> None:
    """Make a plugin in each mode."""
    argocd_cmp.ConfigManagementPlugin("yaml", PLUGIN)
    argocd_cmp.ConfigManagementPlugin("service", {**PLUGIN, "plugin_name": "other", **SERVICE})


pulumi.runtime.set_mocks(Mocks())
install()
for kind in ("kubernetes:apps/v1:DeploymentPatch", "kubernetes:apps/v1:Deployment"):
    assert kind in made, made
