import json
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pulumi.runtime.proto import resource_pb2

from plugin_image.renderer import launch
from plugin_image.renderer.launch import Serving
from plugin_image.renderer.pulumi.monitor.errors import MonitorError, Refusal
from plugin_image.renderer.pulumi.monitor.plugin.process import KubernetesPlugin, PluginEnvironment
from plugin_image.renderer.pulumi.monitor.plugin.rehearsal import Rehearsal
from plugin_image.renderer.pulumi.monitor.values import structs

ROOT = Path(__file__).parents[6]
FAKE = Path(__file__).with_name("fake_provider.py")


def plugin_in(
    folder: Path, body: str | None, serving: Serving = launch.serving
) -> KubernetesPlugin:
    """A plugin whose provider is a script with this body, or not there."""
    if body is not None:
        program = folder / "pulumi-resource-kubernetes"
        program.write_text(f"#!/bin/sh\n{body}\n")
        program.chmod(0o755)
    environment = PluginEnvironment(
        folder=folder,
        env={"PATH": f"{folder}:/usr/bin:/bin", "PYTHONPATH": str(ROOT)},
        kube_version="1.31.0",
        api_versions=("v1", "apps/v1", "apps/v1/Deployment"),
    )
    return KubernetesPlugin(
        environment,
        namespace="team",
        endpoint=lambda: "127.0.0.1:7",
        rehearsal=lambda: ("127.0.0.1:8", Rehearsal()),
        serving=serving,
    )


@pytest.fixture
def plugin(tmp_path: Path) -> Iterator[KubernetesPlugin]:
    plugin = plugin_in(tmp_path, f'echo started >> starts; exec {sys.executable} {FAKE} "$@"')
    yield plugin
    plugin.close()


def invoke(plugin: KubernetesPlugin, function: str, **arguments: Any) -> dict[str, Any]:
    return structs.from_struct(getattr(plugin.invoke(function, arguments), "return"))


def test_the_provider_is_told_of_no_cluster_but_what_is_known_of_it(
    plugin: KubernetesPlugin,
) -> None:
    told = json.loads(invoke(plugin, "kubernetes:yaml:decode")["told"])
    assert told["engine"] == "127.0.0.1:7"
    assert told["variables"]["kubernetes:config:namespace"] == "team"
    server = json.loads(told["variables"]["kubernetes:config:kubeconfig"])["clusters"][0]
    assert server["cluster"]["server"].startswith("http://127.0.0.1:")


def test_concurrent_first_calls_start_one_provider(
    plugin: KubernetesPlugin, tmp_path: Path
) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: invoke(plugin, "kubernetes:yaml:decode"), range(8)))
    assert (tmp_path / "starts").read_text() == "started\n"


def test_charts_see_the_destination_unless_the_program_says_otherwise(
    plugin: KubernetesPlugin,
) -> None:
    options = json.dumps({"chart": "web", "kube_version": None, "api_versions": ["mine/v1"]})
    answer = invoke(plugin, "kubernetes:helm:template", jsonOpts=options)
    assert json.loads(answer["arguments"]["jsonOpts"]) == {
        "chart": "web",
        "kube_version": "1.31.0",
        "api_versions": ["mine/v1"],
    }


def test_components_register_their_children_at_the_monitor(plugin: KubernetesPlugin) -> None:
    request = resource_pb2.RegisterResourceRequest(type="kubernetes:yaml/v2:ConfigFile", name="a")
    response = plugin.construct(request, {"project": "shop", "stack": "dev"}, "the file 'a'")
    assert response.urn == "urn:kubernetes:yaml/v2:ConfigFile::a"
    assert structs.from_struct(response.state) == {"monitor": "127.0.0.1:7"}


def test_a_failure_is_told_in_the_providers_words(plugin: KubernetesPlugin) -> None:
    with pytest.raises(MonitorError, match="kubernetes:helm:template failed: the chart is broken"):
        invoke(plugin, "kubernetes:helm:template", fail=True)


def test_a_kind_that_was_unknown_is_told_to_the_provider_that_runs(
    plugin: KubernetesPlugin, tmp_path: Path
) -> None:
    unknown = MonitorError(
        "UNKNOWN",
        "failed to determine if the following GVK is namespaced: example.com/v1, Kind=Foo",
    )
    assert not plugin.learn(MonitorError("UNKNOWN", "the chart is broken"))
    assert plugin.learn(unknown)
    (definition,) = json.loads(invoke(plugin, "kubernetes:yaml:decode")["told"])["checked"]
    assert definition["metadata"]["name"] == "foos.example.com"
    assert definition["spec"]["scope"] == "Namespaced"
    assert (tmp_path / "starts").read_text() == "started\n"


def test_what_is_rehearsed_is_registered_elsewhere(plugin: KubernetesPlugin) -> None:
    assert plugin.rehearse("kubernetes:helm.sh/v4:Chart", {"chart": "web"}, "the chart") == 0


def test_a_component_that_fails_is_named_as_the_program_knows_it(plugin: KubernetesPlugin) -> None:
    request = resource_pb2.RegisterResourceRequest(type="kubernetes:helm.sh/v4:Chart", name="a")
    structs.into_struct({"fail": True}, request.object)
    with pytest.raises(MonitorError, match=r"^Chart 'a' \(app.py:3\) failed: the chart is broken"):
        plugin.construct(request, {}, "Chart 'a' (app.py:3)")
    with pytest.raises(MonitorError, match=r"^Release 'db' failed: the chart is broken"):
        plugin.rehearse("kubernetes:helm.sh/v4:Chart", {"fail": True}, "Release 'db'")


def test_without_a_provider_what_needs_it_is_refused_by_name(tmp_path: Path) -> None:
    plugin = plugin_in(tmp_path, None)
    with pytest.raises(Refusal, match="the function kubernetes:yaml:decode needs"):
        invoke(plugin, "kubernetes:yaml:decode")
    plugin.close()


def test_a_provider_that_does_not_start_is_told(tmp_path: Path) -> None:
    plugin = plugin_in(tmp_path, "echo no")
    with pytest.raises(MonitorError, match="did not start"):
        invoke(plugin, "kubernetes:yaml:decode")
    plugin.close()


def test_a_provider_that_says_no_port_is_waited_for_no_longer_than_the_render_has(
    tmp_path: Path,
) -> None:
    waits = partial(launch.serving, remaining=lambda: 0.2)
    plugin = plugin_in(tmp_path, "exec sleep 60", waits)
    with pytest.raises(MonitorError, match="pulumi-resource-kubernetes did not start"):
        plugin.invoke("kubernetes:yaml:decode", {})
    plugin.close()
