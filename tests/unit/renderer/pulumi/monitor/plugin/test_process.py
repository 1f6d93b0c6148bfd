import json
import socket
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
from plugin_image.renderer.pulumi.monitor.plugin import lending
from plugin_image.renderer.pulumi.monitor.plugin.lending import Lease, Lend
from plugin_image.renderer.pulumi.monitor.plugin.plugins import Fields
from plugin_image.renderer.pulumi.monitor.plugin.process import KubernetesPlugin, PluginEnvironment
from plugin_image.renderer.pulumi.monitor.plugin.rehearsal import Rehearsal
from plugin_image.renderer.pulumi.monitor.values import structs

ROOT = Path(__file__).parents[6]
FAKE = Path(__file__).with_name("fake_provider.py")


def plugin_in(
    folder: Path,
    body: str | None,
    serving: Serving = launch.serving,
    lend: Lend = lending.nothing,
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
        lend=lend,
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
    invoke(plugin, "kubernetes:yaml:decode")
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


class Lender:
    """Lends one provider, a fake that was started before."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.engines: list[int] = []
        self.given_back: list[bool] = []

    def __call__(self, engine: int) -> Lease | None:
        self.engines.append(engine)
        return self

    def close(self, *, is_as_it_was: bool) -> None:
        """See `Lease`."""
        self.given_back.append(is_as_it_was)


@pytest.fixture
def lender(tmp_path: Path) -> Iterator[Lender]:
    command = [sys.executable, str(FAKE), "127.0.0.1:9"]
    start = launch.Start(command, tmp_path, {"PYTHONPATH": str(ROOT)})
    with launch.serving(start) as port:
        yield Lender(port)


def borrowing(folder: Path, lender: Lender) -> KubernetesPlugin:
    """A plugin that may have one lent, and else starts its own."""
    own = f'echo started >> starts; exec {sys.executable} {FAKE} "$@"'
    return plugin_in(folder, own, lend=lender)


def engine_of(plugin: KubernetesPlugin, *, is_self_contained: bool) -> str:
    """That of the provider which is asked: the lent one was started with another."""
    function = "kubernetes:yaml:decode"
    answer = plugin.invoke(function, {}, is_self_contained=is_self_contained)
    told = json.loads(structs.from_struct(getattr(answer, "return"))["told"])
    assert told["variables"]["kubernetes:config:namespace"] == "team"
    engine: str = told["engine"]
    return engine


def test_what_is_self_contained_is_asked_of_the_one_that_is_lent_and_configured_anew(
    tmp_path: Path, lender: Lender
) -> None:
    for _ in range(2):
        plugin = borrowing(tmp_path, lender)
        for _ in range(2):
            assert engine_of(plugin, is_self_contained=True) == "127.0.0.1:9"
        plugin.close()
    assert (lender.engines, lender.given_back) == ([7, 7], [True, True])
    assert not (tmp_path / "starts").exists()


def test_all_else_is_asked_of_one_of_the_run_s_own_and_then_everything(
    tmp_path: Path, lender: Lender
) -> None:
    plugin = borrowing(tmp_path, lender)
    for is_self_contained in (False, True):
        own = engine_of(plugin, is_self_contained=is_self_contained)
        assert own == "127.0.0.1:7"
    plugin.close()
    assert (lender.engines, lender.given_back) == ([], [])


def test_only_what_is_lent_gets_absolute_paths(tmp_path: Path, lender: Lender) -> None:
    request = resource_pb2.RegisterResourceRequest(type="kubernetes:helm.sh/v4:Chart", name="a")
    fields: Fields = {"project": "shop", "stack": "dev"}
    plugin = borrowing(tmp_path, lender)
    with pytest.raises(MonitorError):
        plugin.construct(request, fields, "the chart", {"fail": True})
    plugin.close()
    plugin = borrowing(tmp_path, lender)
    engine_of(plugin, is_self_contained=False)
    plugin.construct(request, fields, "the chart", {"fail": True})
    plugin.close()
    assert "fail" not in request.object.fields


def test_one_that_has_failed_is_not_given_back(tmp_path: Path, lender: Lender) -> None:
    plugin = borrowing(tmp_path, lender)
    with pytest.raises(MonitorError, match="the chart is broken"):
        plugin.invoke("kubernetes:helm:template", {"fail": True}, is_self_contained=True)
    plugin.close()
    assert lender.given_back == [False]


def test_one_that_is_gone_costs_a_new_one(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        lender = Lender(listener.getsockname()[1])
    plugin = borrowing(tmp_path, lender)
    assert engine_of(plugin, is_self_contained=True) == "127.0.0.1:7"
    plugin.close()
    assert lender.given_back == [False]


def test_a_kind_is_told_to_the_one_that_is_lent(tmp_path: Path, lender: Lender) -> None:
    plugin = borrowing(tmp_path, lender)
    engine_of(plugin, is_self_contained=True)
    unknown = "failed to determine if the following GVK is namespaced: example.com/v1, Kind=Foo"
    assert plugin.learn(MonitorError("UNKNOWN", unknown))
    answer = plugin.invoke("kubernetes:yaml:decode", {}, is_self_contained=True)
    told = json.loads(structs.from_struct(getattr(answer, "return"))["told"])
    assert [definition["metadata"]["name"] for definition in told["checked"]] == [
        "foos.example.com"
    ]
    plugin.close()
    assert lender.given_back == [True]


def test_a_program_asks_the_render_for_one() -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs:
        lend = lending.asking(theirs.fileno())
        ours.send(b"8123")
        lease = lend(7)
        assert lease is not None
        assert (ours.recv(64), lease.port) == (b"lend 7", 8123)
        ours.send(b"none")
        assert lend(7) is None
        assert ours.recv(64) == b"lend 7"
        for is_as_it_was, said in ((True, lending.GIVE_BACK), (False, lending.LET_GO)):
            lease.close(is_as_it_was=is_as_it_was)
            assert ours.recv(64) == said
