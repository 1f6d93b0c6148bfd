"""Runs the program of each pair as if it were the only one.

Each has a component of a type of its own as its parent, so that none of its URNs is another's,
and its objects go to a namespace of its own, by a transform. The transform also tells Pulumi's
provider not to wait for what no controller brings about, and to delete such objects at once: it
would not wait for their end either, and make a new one in the place of one that is still going.
"""

import runpy
from pathlib import Path

import pulumi
import pulumi_kubernetes as k8s
from pulumi.runtime.settings import get_root_resource, set_root_resource

WITHOUT_NAMESPACE = (
    "ClusterRole",
    "ClusterRoleBinding",
    "CustomResourceDefinition",
    "Namespace",
    "PersistentVolume",
    "StorageClass",
)
AWAITED = (
    "DaemonSet",
    "Deployment",
    "Ingress",
    "Job",
    "Namespace",
    "PersistentVolumeClaim",
    "Pod",
    "Service",
    "StatefulSet",
)
UNAWAITED = {
    "pulumi.com/deletionPropagationPolicy": "background",
    "pulumi.com/skipAwait": "true",
}
SIDE = pulumi.Config().require("side")


def app(image: str = "app:1", replicas: int = 1, **pod: object) -> dict:
    """The spec of a Deployment."""
    labels = {"app": "app"}
    template = {
        "metadata": {"labels": labels},
        "spec": {"containers": [{"name": "app", "image": image}], **pod},
    }
    return {"selector": {"matchLabels": labels}, "replicas": replicas, "template": template}


def task(image: str = "app:1") -> dict:
    """The spec of a Job."""
    containers = [{"name": "app", "image": image}]
    return {"template": {"spec": {"containers": containers, "restartPolicy": "Never"}}}


def run(file: Path) -> None:
    here = f"{SIDE}-{file.stem}"

    def is_elsewhere(namespace: object) -> bool:
        """Also by default: components have given their objects the provider's namespace."""
        return isinstance(namespace, str) and not namespace.startswith(here)

    def placed(args: pulumi.ResourceTransformArgs) -> pulumi.ResourceTransformResult | None:
        package, _, rest = args.type_.partition(":")
        if package != "kubernetes" or not args.custom or rest.startswith("helm.sh"):
            return None
        kind = rest.rpartition(":")[2]
        metadata = dict(args.props.get("metadata") or {})
        if kind not in WITHOUT_NAMESPACE and is_elsewhere(metadata.get("namespace", "")):
            metadata["namespace"] = here
        if kind in AWAITED:
            metadata["annotations"] = {**(metadata.get("annotations") or {}), **UNAWAITED}
        return pulumi.ResourceTransformResult({**args.props, "metadata": metadata}, args.opts)

    stack = get_root_resource()
    options = pulumi.ResourceOptions(transforms=[placed])
    set_root_resource(
        pulumi.ComponentResource(f"pairs:index:{file.stem.title()}", file.stem, opts=options)
    )
    given = {
        "pulumi": pulumi,
        "k8s": k8s,
        "Opts": pulumi.ResourceOptions,
        "ConfigMap": k8s.core.v1.ConfigMap,
        "Secret": k8s.core.v1.Secret,
        "Deployment": k8s.apps.v1.Deployment,
        "Job": k8s.batch.v1.Job,
        "app": app,
        "task": task,
        "here": here,
    }
    runpy.run_path(str(file), init_globals=given)
    set_root_resource(stack)


for program in sorted(Path("pairs").glob("*.py")):
    run(program)
