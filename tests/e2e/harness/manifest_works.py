"""An API server that knows ManifestWorks, as that of an Open Cluster Management hub does."""

from collections.abc import Iterable

import yaml

from tests import toolchain
from tests.e2e.harness.kubernetes_api import KubernetesApi

WORK = "work.open-cluster-management.io/v1"


def make_hub(api: KubernetesApi, *, clusters: Iterable[str]) -> None:
    """Add OCM's own definition, and the namespace of each managed cluster. None is behind it."""
    crds = toolchain.ensure(["manifest-work-crds"])["manifest-work-crds"]
    api.apply(yaml.safe_load((crds / "manifestworks.yaml").read_text()))
    api.wait_for(
        lambda: api.serves(WORK, "ManifestWork"),
        message=lambda: "the API server does not serve ManifestWork",
    )
    for name in clusters:
        api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
