"""Argo CD from its own manifests, in real pods."""

import shutil
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.cluster.harness import local_parts, rollouts
from tests.cluster.harness.docker_engine import Build, DockerEngine
from tests.e2e.harness.kubernetes_api import KubernetesApi

NAMESPACE = "argocd"
REPO_SERVER = "argocd-repo-server"
WORKLOADS = {
    "argocd-redis": "Deployment",
    REPO_SERVER: "Deployment",
    "argocd-server": "Deployment",
    "argocd-application-controller": "StatefulSet",
}
"""What runs. Notifications, ApplicationSets and logins by others take no part in a delivery."""

# Argo CD compares again after two to three minutes otherwise, whatever went wrong before.
_INTERVALS = {"timeout.reconciliation": "20s", "timeout.reconciliation.jitter": "5s"}
_IMAGES = Path(__file__).parent / "argocd_image"
_WORKLOAD_KINDS = {"Deployment", "StatefulSet"}
_ADMINISTRATORS = ("argocd-application-controller", "argocd-server")


def push_images(
    engine: DockerEngine, registry: str, folder: Path, *, programs: Collection[Path], scripts: Path
) -> None:
    """Build the images that the manifests name otherwise, and push them."""
    context = folder / "argocd-image"
    shutil.copytree(_IMAGES, context)
    for program in programs:
        shutil.copy(program, context / program.name)
    for script in ("gpg-wrapper.sh", "git-verify-wrapper.sh"):
        shutil.copy(scripts / script, context / script)
        (context / script).chmod(0o755)
    for target in ("argocd", "redis"):
        tag = f"{registry}/{target}:tests"
        engine.build(Build(context, tag, args=local_parts.arguments(engine), target=target))
        engine.run("push", tag)


def install(api: KubernetesApi, manifests: Path, *, registry: str) -> None:
    """Apply Argo CD's manifests and wait until its pods are ready.

    Its namespace enforces the Pod Security Standard `restricted`.
    """
    for crd in sorted((manifests / "crds").glob("*-crd.yaml")):
        api.apply(_load(crd)[0])
    labels = {"pod-security.kubernetes.io/enforce": "restricted"}
    api.apply(
        {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {"name": NAMESPACE, "labels": labels},
        }
    )
    for obj in _load(manifests / "namespace-install.yaml"):
        if obj["kind"] not in _WORKLOAD_KINDS:
            settings = {"data": _INTERVALS} if obj["metadata"]["name"] == "argocd-cm" else {}
            api.apply({**obj, **settings}, namespace=NAMESPACE)
        elif obj["metadata"]["name"] in WORKLOADS:
            _replace_images(obj["spec"]["template"]["spec"], registry)
            api.apply(obj, namespace=NAMESPACE)
    for account in _ADMINISTRATORS:
        api.apply(_administrator(account))
    for name, kind in WORKLOADS.items():
        rollouts.wait_until_ready(api, kind, name, namespace=NAMESPACE)


def _replace_images(pod: Mapping[str, Any], registry: str) -> None:
    for container in [*pod["containers"], *pod.get("initContainers", [])]:
        name = "redis" if "/redis:" in container["image"] else "argocd"
        container["image"] = f"{registry}/{name}:tests"


def _administrator(account: str) -> dict[str, Any]:
    """Let Argo CD deliver into every namespace, as an installation for a cluster does."""
    group = "rbac.authorization.k8s.io"
    return {
        "apiVersion": f"{group}/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": account},
        "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": "cluster-admin"},
        "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": NAMESPACE}],
    }


def _load(path: Path) -> list[dict[str, Any]]:
    with path.open("rb") as stream:
        return [obj for obj in yaml.load_all(stream, yaml.CSafeLoader) if obj]
