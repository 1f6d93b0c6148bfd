"""What only BuildKit itself does with the image: provenance, and caches in a registry."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import urllib3

from tests import toolchain
from tests.cluster.harness.buildkit import TOOLS, BuildKit, running_buildkit
from tests.cluster.harness.docker_engine import Build, DockerEngine
from tests.e2e.conftest import uncaptured
from tests.e2e.harness.workspace import Workspace

pytestmark = pytest.mark.thorough

_INDEX = "application/vnd.oci.image.index.v1+json"
_MANIFEST = "application/vnd.oci.image.manifest.v1+json"
_FIRST_COMMAND = "pip --python /opt/renderer/venv/bin/python install"


@pytest.fixture(scope="module")
def buildkit(workspace: Workspace, pytestconfig: pytest.Config) -> Iterator[BuildKit]:
    with uncaptured(pytestconfig):
        tools = toolchain.ensure(TOOLS)
    with running_buildkit(workspace, tools) as buildkit:
        yield buildkit


@pytest.fixture
def build(engine: DockerEngine, plugin_build: Build, registry: str) -> Build:
    """The slim image, from a base that BuildKit can pull."""
    base = f"{registry}/base:tests"
    engine.run("tag", plugin_build.args["BASE_IMAGE"], base)
    engine.run("push", base)
    args = {**plugin_build.args, "VARIANT": "slim", "BASE_IMAGE": base}
    return replace(plugin_build, tag=f"{registry}/plugin:1", args=args)


def fetch(tag: str, kind: str, reference: str, media: str) -> Any:
    """Read a manifest or a blob of an image from its registry."""
    registry, _, name = tag.rpartition(":")[0].partition("/")
    url = f"http://{registry}/v2/{name}/{kind}/{reference}"
    return urllib3.request("GET", url, headers={"Accept": media}).json()


def test_a_pushed_image_says_from_what_and_how_it_was_built(
    buildkit: BuildKit, build: Build
) -> None:
    buildkit.push(build, "--provenance=mode=max")
    index = fetch(build.tag, "manifests", "1", _INDEX)
    (attestation,) = (
        each
        for each in index["manifests"]
        if each.get("annotations", {}).get("vnd.docker.reference.type") == "attestation-manifest"
    )
    layers = fetch(build.tag, "manifests", attestation["digest"], _MANIFEST)["layers"]
    (statement,) = (
        fetch(build.tag, "blobs", layer["digest"], layer["mediaType"]) for layer in layers
    )
    assert statement["predicateType"].startswith("https://slsa.dev/provenance/")
    told = json.dumps(statement["predicate"])
    assert "/base" in told
    assert "build-arg:VARIANT" in told


def test_a_cache_in_a_registry_is_written_and_read(
    buildkit: BuildKit, build: Build, registry: str
) -> None:
    cache = f"type=registry,ref={registry}/cache:tests"
    buildkit.push(build, f"--cache-to={cache},mode=max")
    buildkit.forget()
    log = buildkit.push(build, f"--cache-from={cache}")
    (step,) = {line.split()[0] for line in log.splitlines() if _FIRST_COMMAND in line}
    assert f"{step} CACHED" in log.splitlines()
