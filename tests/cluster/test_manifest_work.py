"""The image of the ManifestWork plugin, built for real, and what it delivers on a cluster.

The cluster is the hub. No managed cluster is there, so that nothing takes the ManifestWorks.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cluster.harness.catalogue import Installer, deliver
from tests.cluster.harness.clusters import Cluster
from tests.cluster.harness.docker_engine import Build, DockerEngine
from tests.cluster.harness.git_pod import PublishedRepository
from tests.cluster.test_image import MEGABYTE, in_container, inspect
from tests.e2e.conftest import uncaptured
from tests.e2e.harness.manifest_works import WORK, make_hub
from tests.e2e.harness.pulumi_stack import ROOT

BUDGET = 270
"""Its largest size, uncompressed, in megabytes."""
PROGRAM = ROOT / "tests" / "e2e" / "testdata" / "manifest_work.py"
DELIVERED = {
    ROOT / "examples" / "guestbook-manifest-work": {"Namespace", "Deployment", "Service"},
    ROOT / "examples" / "plugins" / "helm-and-kustomize" / "app" / "chart": {"ConfigMap"},
}
"""Folders, and the kinds of the objects that come of each."""
CLUSTER = "cluster1"
_MINUTES = 300.0


@pytest.fixture(scope="module")
def image(engine: DockerEngine, plugin_build: Build) -> str:
    build = replace(plugin_build, tag="plugin-tests/manifest-work:1", target="manifest-work")
    engine.build(build)
    return build.tag


class TestTheImage:
    def test_fits_its_budget(self, engine: DockerEngine, image: str) -> None:
        size = inspect(engine, image)["Size"] / MEGABYTE
        assert size <= BUDGET, f"{size:.0f} MB: `docker history {image}` says where"

    def test_runs_unprivileged_under_an_init(self, engine: DockerEngine, image: str) -> None:
        found = in_container(engine, image, "id -u; id -g; cat /proc/1/comm").split()
        assert found == ["999", "999", "tini"]

    def test_has_what_it_wraps_the_results_of(self, engine: DockerEngine, image: str) -> None:
        in_container(engine, image, "helm version --short && kustomize version && kpt fn --help")


@pytest.fixture(scope="module")
def hub(cluster: Cluster, pytestconfig: pytest.Config) -> Cluster:
    """The cluster, with OCM's definition and the namespace of a managed cluster."""
    with uncaptured(pytestconfig):
        make_hub(cluster.api, clusters=[CLUSTER])
    return cluster


@pytest.fixture(scope="module")
def plugin(hub: Cluster, installer: Installer, image: str) -> Iterator[str]:
    """The name of the plugin, installed as a sidecar."""
    with installer.installed("manifest-work", image, PROGRAM) as name:
        yield name


@pytest.mark.parametrize("folder", DELIVERED, ids=lambda folder: folder.name)
def test_an_applications_objects_are_delivered_to_the_hub(
    hub: Cluster, repository: PublishedRepository, plugin: str, folder: Path
) -> None:
    name = f"works-of-{folder.name}"
    repository.copy(folder, name)
    revision = repository.commit(name)
    named = {"name": plugin, "parameters": [{"name": "namespace", "string": "guestbook"}]}
    application = deliver(hub.api, name, repository.url, named, namespace=CLUSTER)
    try:
        application.wait_until_synced(revision=revision, timeout=_MINUTES)
        works = hub.api.list(WORK, "ManifestWork", namespace=CLUSTER)
        wrapped = [
            manifest["kind"]
            for work in works
            if work["metadata"]["name"].startswith(name)
            for manifest in work["spec"]["workload"]["manifests"]
        ]
        assert set(wrapped) == DELIVERED[folder]
    finally:
        application.delete()
