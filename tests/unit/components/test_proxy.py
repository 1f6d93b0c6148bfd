"""PluginProxy: one container in the repo-server's pod for all plugins in service mode."""

from typing import Any

import pytest

from components.service.proxy import PluginProxy
from components.service.service import PROXY_IMAGE
from components.shared.errors import InvalidInputError

from .conftest import FakeEngine, Run

PATCH = "kubernetes:apps/v1:DeploymentPatch"
CONFIG_MAP = "kubernetes:core/v1:ConfigMap"
TOOL: Any = {
    "plugin_name": "tool-v1",
    "host": "cmp-tool-v1.argocd.svc",
    "client_secret": "tool-client",
}
OTHER: Any = {
    "plugin_name": "other-v1",
    "host": "cmp-other-v1.argocd.svc",
    "client_secret": "other-client",
}


def proxy(run: Run, **given: Any) -> FakeEngine:
    args: Any = {"plugins": [TOOL, OTHER]} | given
    return run(lambda: PluginProxy("proxy", args))


def test_one_container_serves_all_plugins(run: Run) -> None:
    engine = proxy(run)
    pod = engine.one(PATCH).inputs["spec"]["template"]["spec"]
    assert [c["name"] for c in pod["containers"]] == ["cmp-proxy"]
    assert pod["containers"][0]["image"] == PROXY_IMAGE
    secrets = {v["secret"]["secretName"] for v in pod["volumes"] if "secret" in v}
    assert secrets == {"tool-client", "other-client"}
    config = engine.one(CONFIG_MAP).inputs
    assert config["immutable"] is True
    for plugin in (TOOL, OTHER):
        assert f"frontend {plugin['plugin_name']}\n" in config["data"]["haproxy.cfg"]
        assert f"verifyhost {plugin['host']} " in config["data"]["haproxy.cfg"]


def test_the_order_of_plugins_changes_nothing(run: Run) -> None:
    def program() -> None:
        PluginProxy("a", {"plugins": [TOOL, OTHER], "proxy_name": "a"})
        PluginProxy("b", {"plugins": [OTHER, TOOL], "deployment": "b"})

    one, two = (resource.inputs["data"] for resource in run(program).of_type(CONFIG_MAP))
    assert one == two


def test_names_of_the_installation_are_inputs(run: Run, engine: FakeEngine) -> None:
    engine.volumes = ["sockets"]
    proxy(
        run,
        namespace="gitops",
        deployment="cd-repo-server",
        plugins_volume="sockets",
        cluster_domain="corp.example",
        nameservers=["10.96.0.10:53"],
        max_pods=5,
    )
    metadata = engine.one(PATCH).inputs["metadata"]
    assert (metadata["namespace"], metadata["name"]) == ("gitops", "cd-repo-server")
    text = engine.one(CONFIG_MAP).inputs["data"]["haproxy.cfg"]
    assert "server-template pod 5 cmp-tool-v1.argocd.svc.corp.example:8443 " in text
    assert "nameserver ns0 10.96.0.10:53" in text


def test_its_metrics_port_is_claimed_for_the_whole_pod(run: Run) -> None:
    engine = proxy(run, proxy_metrics_port=8406)
    patch = engine.one(PATCH).inputs
    assert patch["metadata"]["annotations"]["argocd-cmp/port-8406"] == "cmp-proxy"
    (container,) = patch["spec"]["template"]["spec"]["containers"]
    assert [port["containerPort"] for port in container["ports"]] == [8406]
    assert 'bind "${POD_IP}:8406"' in engine.one(CONFIG_MAP).inputs["data"]["haproxy.cfg"]


def test_no_volume_with_cmp_server_is_needed(run: Run, engine: FakeEngine) -> None:
    engine.volumes = ["plugins"]
    proxy(run)
    assert engine.one(PATCH)


@pytest.mark.parametrize(
    ("given", "field", "reason"),
    [
        ({"plugins": []}, "plugins", "names no plugin"),
        ({"plugins": [TOOL, TOOL]}, "plugins", "twice"),
        ({"plugins": [{"plugin_name": "tool-v1"}]}, "plugins[0].host", "is missing"),
        ({"plugins": [TOOL | {"host": "No Host"}]}, "plugins[0].host", "not a valid object name"),
        ({"nameservers": ["10.96.0.10"]}, "nameservers", "not an address with a port"),
        ({"nameservers": ["a b:53"]}, "nameservers", "not an address with a port"),
        ({"max_pods": 0}, "max_pods", "at least 1"),
        ({"proxy_metrics_port": 80}, "proxy_metrics_port", "unprivileged"),
        ({"proxy_metrics_port": 65536}, "proxy_metrics_port", "unprivileged"),
        ({"proxy_metrics_port": "8406"}, "proxy_metrics_port", "unprivileged"),
        ({"proxy_metrics_port": 8084}, "proxy_metrics_port", "argocd-repo-server"),
        ({"cluster_domain": "Corp"}, "cluster_domain", "not a valid object name"),
        ({"proxy_name": "x" * 58}, "proxy_name", "no room"),
        ({"proxy_name": "My"}, "proxy_name", "DNS label"),
        ({"run_as_user": "0"}, "run_as_user", "root"),
        ({"image_pull_secrets": ["No"]}, "image_pull_secrets", "not a valid object name"),
        ({"plugin": [TOOL]}, "plugin", "no"),
    ],
)
def test_bad_input_is_refused_and_nothing_is_patched(
    run: Run, engine: FakeEngine, given: Any, field: str, reason: str
) -> None:
    with pytest.raises(InvalidInputError) as raised:
        proxy(run, **given)
    assert raised.value.field == field
    assert reason in raised.value.problem
    assert raised.value.where == "PluginProxy proxy"
    assert not engine.of_type(PATCH)
