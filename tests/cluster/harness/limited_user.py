"""A user of the cluster who may do a few things only."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from tests.cluster.harness.clusters import Cluster

_NAME = "limited-user-of-the-tests"


@contextmanager
def limited_user(
    cluster: Cluster, rules: Sequence[Mapping[str, Any]], folder: Path
) -> Iterator[Path]:
    """Make a ServiceAccount with these rights in Argo CD's namespace; give its kubeconfig."""
    kubectl = cluster.kubectl
    objects = _objects(kubectl.namespace, rules)
    for obj in objects:
        cluster.api.apply(obj, namespace=kubectl.namespace)
    try:
        token = kubectl.run("create", "token", _NAME).strip()
        document = yaml.safe_load(kubectl.run("config", "view", "--minify", "--flatten", "--raw"))
        document["users"] = [{**document["users"][0], "user": {"token": token}}]
        path = folder / "limited.kubeconfig"
        path.touch(mode=0o600)
        path.write_text(yaml.safe_dump(document))
        yield path
    finally:
        for obj in objects:
            cluster.api.delete(obj["apiVersion"], obj["kind"], _NAME, namespace=kubectl.namespace)


def grant(cluster: Cluster, rules: Sequence[Mapping[str, Any]]) -> None:
    """Give the user these rights, and no longer those from before."""
    namespace = cluster.kubectl.namespace
    _, role, _ = _objects(namespace, rules)
    cluster.api.apply(role, namespace=namespace)


def _objects(namespace: str, rules: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    group = "rbac.authorization.k8s.io"
    metadata = {"name": _NAME}
    subject = {"kind": "ServiceAccount", "name": _NAME, "namespace": namespace}
    return [
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata},
        {
            "apiVersion": f"{group}/v1",
            "kind": "Role",
            "metadata": metadata,
            "rules": list(rules),
        },
        {
            "apiVersion": f"{group}/v1",
            "kind": "RoleBinding",
            "metadata": metadata,
            "roleRef": {"apiGroup": group, "kind": "Role", "name": _NAME},
            "subjects": [subject],
        },
    ]
