"""The image of the kpt plugin, built for real, and a package that it delivers on a cluster."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests import toolchain
from tests.cluster.harness import image_files, programs
from tests.cluster.harness.catalogue import Installer, deliver
from tests.cluster.harness.clusters import Cluster
from tests.cluster.harness.docker_engine import Build, DockerEngine
from tests.cluster.harness.git_pod import PublishedRepository
from tests.cluster.test_image import MEGABYTE, in_container, inspect
from tests.e2e.conftest import uncaptured
from tests.e2e.harness.pulumi_stack import ROOT
from tests.toolchain import KPT_FUNCTIONS

BUDGET = 190
"""Its largest size, uncompressed, in megabytes."""
EXAMPLE = ROOT / "examples" / "guestbook-kpt"
PROGRAM = ROOT / "tests" / "e2e" / "testdata" / "kpt_plugin.py"
_DESTINATION = "guestbook-kpt"
_MINUTES = 300.0


@pytest.fixture(scope="module")
def build(plugin_build: Build) -> Build:
    return replace(plugin_build, tag="plugin-tests/kpt:1", target="kpt")


@pytest.fixture(scope="module")
def image(engine: DockerEngine, build: Build) -> str:
    engine.build(build)
    return build.tag


@pytest.fixture(scope="module")
def outside(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> str:
    """What a developer gets of the example on this machine."""
    with uncaptured(pytestconfig):
        built = toolchain.ensure(["kpt", *KPT_FUNCTIONS])
    functions = tmp_path_factory.mktemp("functions")
    for name in KPT_FUNCTIONS:
        (functions / name).symlink_to(built[name])
    renderer = ROOT / "plugin_image" / "bin" / "renderer"
    done = subprocess.run(
        [sys.executable, renderer, "kpt", "render", EXAMPLE, "--functions", functions],
        env={**os.environ, "PATH": f"{built['kpt'].parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


class TestTheImage:
    def test_fits_its_budget(self, engine: DockerEngine, image: str) -> None:
        size = inspect(engine, image)["Size"] / MEGABYTE
        assert size <= BUDGET, f"{size:.0f} MB: `docker history {image}` says where"

    def test_runs_unprivileged_under_an_init(self, engine: DockerEngine, image: str) -> None:
        found = in_container(engine, image, "id -u; id -g; cat /proc/1/comm").split()
        assert found == ["999", "999", "tini"]

    def test_holds_nothing_of_pulumi(
        self, engine: DockerEngine, image: str, tmp_path: Path
    ) -> None:
        files = image_files.files(engine, image, tmp_path)
        packages = [name for name in files if "/site-packages/" in name]
        assert any("/yaml/" in name for name in packages)
        assert not [name for name in packages if "/pulumi" in name or "/grpc" in name]

    def test_renders_without_network_the_bytes_it_gives_outside(
        self, engine: DockerEngine, image: str, outside: str, tmp_path: Path
    ) -> None:
        package = shutil.copytree(EXAMPLE, tmp_path / "package")
        for path in (tmp_path, package, *package.iterdir()):
            path.chmod(0o755 if path.is_dir() else 0o644)
        volume = f"--volume={package}:/src:ro"
        assert in_container(engine, image, "renderer kpt render /src", volume) == outside

    @pytest.mark.thorough
    def test_its_tools_are_built_from_the_locked_modules_alike_each_time(
        self, engine: DockerEngine, build: Build, outside: str, tmp_path: Path
    ) -> None:
        args = {name: value for name, value in build.args.items() if name != "KPT_TOOLS_IMAGE"}
        found = []
        for number in (1, 2):
            again = replace(build, tag=f"plugin-tests/kpt-built:{number}", args=args)
            engine.build(again.from_scratch())
            found.append(image_files.files(engine, again.tag, tmp_path))
        assert found[0] == found[1]
        assert {f"opt/renderer/functions/{name}" for name in KPT_FUNCTIONS} <= set(found[0])


@pytest.fixture(scope="module")
def plugin(installer: Installer, image: str) -> Iterator[str]:
    """The name of the plugin, installed as a sidecar."""
    with installer.installed("kpt", image, PROGRAM) as name:
        yield name


def test_a_package_is_delivered_and_its_pods_run(
    cluster: Cluster, repository: PublishedRepository, plugin: str
) -> None:
    repository.copy(EXAMPLE, "guestbook-kpt")
    manifests = repository.folder / "guestbook-kpt" / "guestbook-ui.yaml"
    helper = f"{cluster.registry}/argocd-plugin-tests/helper:tests"
    manifests.write_text(manifests.read_text().replace(programs.PUBLIC_IMAGE, helper))
    revision = repository.commit("a kpt package")
    application = deliver(
        cluster.api,
        "guestbook-kpt",
        repository.url,
        {"name": plugin},
        namespace=_DESTINATION,
        sync_options=["CreateNamespace=true"],
    )
    try:
        application.wait_until_synced(revision=revision, timeout=_MINUTES)
        application.wait_for(
            lambda app: app["status"].get("health", {}).get("status") == "Healthy",
            what="Healthy",
            timeout=_MINUTES,
        )
        made = cluster.api.get("apps/v1", "Deployment", "guestbook-ui", namespace=_DESTINATION)
        assert made["status"]["readyReplicas"] == 2
        annotations = made["metadata"]["annotations"]
        assert annotations["argocd.example.org/app"] == "guestbook-kpt"
        assert annotations["argocd.example.org/revision"] == revision
    finally:
        application.delete()
