"""A plugin of the catalogue on a cluster: its image, itself, and an Application that names it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.cluster.harness.argocd_pods import NAMESPACE
from tests.cluster.harness.clusters import Cluster
from tests.cluster.harness.docker_engine import DockerEngine
from tests.e2e.harness.applications import Application
from tests.e2e.harness.argocd import IN_CLUSTER
from tests.e2e.harness.kubernetes_api import KubernetesApi
from tests.e2e.harness.pulumi_stack import PulumiStack
from tests.e2e.harness.workspace import Workspace


@dataclass(frozen=True)
class Installer:
    """Installs plugins as sidecars, as their users do."""

    cluster: Cluster
    engine: DockerEngine
    tools: Mapping[str, Path]
    workspace: Workspace

    @contextmanager
    def installed(self, name: str, image: str, program: Path) -> Iterator[str]:
        """Push the image, run the program with it; give the plugin's name as Argo CD knows it."""
        tag = f"{self.cluster.registry}/argocd-plugin-tests/{name}:1"
        self.engine.run("tag", image, tag)
        stack = PulumiStack(
            self.workspace.folder(f"{name}-installer"),
            tools=self.tools,
            kubeconfig=self.cluster.kubectl.kubeconfig,
            config={"image": self.engine.push(tag), "mode": "sidecar", "awaitRollout": True},
            program=program,
        )
        stack.up().require_success()
        yield str(stack.outputs()["pluginName"])
        stack.destroy().require_success()


def deliver(
    api: KubernetesApi,
    name: str,
    url: str,
    plugin: Mapping[str, Any],
    *,
    namespace: str,
    sync_options: Sequence[str] = (),
) -> Application:
    """Make an Application of the folder of its name, which takes its objects along."""
    api.apply(
        {
            "apiVersion": "argoproj.io/v1alpha1",
            "kind": "Application",
            "metadata": {
                "name": name,
                "namespace": NAMESPACE,
                "finalizers": ["resources-finalizer.argocd.argoproj.io"],
            },
            "spec": {
                "project": "default",
                "source": {
                    "repoURL": url,
                    "path": name,
                    "targetRevision": "main",
                    "plugin": dict(plugin),
                },
                "destination": {"server": IN_CLUSTER, "namespace": namespace},
                "syncPolicy": {"automated": {"prune": True}, "syncOptions": [*sync_options]},
            },
        }
    )
    return Application(api, name=name, namespace=NAMESPACE)
