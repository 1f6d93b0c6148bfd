"""A Git server in a pod, and repositories that are pushed into it: works in every cluster."""

import io
import tarfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.cluster.harness import rollouts
from tests.cluster.harness.kubectl import Kubectl
from tests.e2e.harness.git_repository import GitRepository
from tests.e2e.harness.kubernetes_api import KubernetesApi

NAME = "git-of-the-tests"
_PORT = 8080
_FOLDER = "/tmp/repositories"


class PublishedRepository(GitRepository):
    """A repository whose commits can be fetched from the pod."""

    def __init__(self, folder: Path, kubectl: Kubectl) -> None:
        super().__init__(folder, url=f"http://{NAME}.{NAME}.svc:{_PORT}/{folder.name}")
        self._kubectl = replace(kubectl, namespace=NAME)

    def commit(self, message: str, files: Mapping[str, str | None] | None = None) -> str:
        """Commit and publish."""
        revision = super().commit(message, files)
        archive = io.BytesIO()
        with tarfile.open(fileobj=archive, mode="w") as tar:
            tar.add(self.folder / ".git", arcname=self.folder.name, filter=_of_nobody)
        publish = ("git-publish", _FOLDER, self.folder.name)
        self._kubectl.execute(f"deployment/{NAME}", *publish, standard_input=archive.getvalue())
        return revision


def install(api: KubernetesApi, *, image: str) -> None:
    """Run the server in a namespace of its own."""
    for obj in (_namespace(), _service(), _deployment(image)):
        api.apply(obj, namespace=NAME)
    rollouts.wait_until_ready(api, "Deployment", NAME, namespace=NAME)


def _of_nobody(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 999
    return member


def _namespace() -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAME}}


def _service() -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": NAME},
        "spec": {"selector": {"app": NAME}, "ports": [{"port": _PORT}]},
    }


def _deployment(image: str) -> dict[str, Any]:
    labels = {"app": NAME}
    container = {
        "name": "git",
        "image": image,
        "args": ["git-server", _FOLDER, str(_PORT)],
        "readinessProbe": {"tcpSocket": {"port": _PORT}, "periodSeconds": 1},
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": NAME},
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
        },
    }
