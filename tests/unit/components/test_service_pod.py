"""The pods of service mode: hardened, without rights, and ending without losing a render."""

from dataclasses import replace
from typing import Any

import pytest

from components.container.user import ARGO_CD, User
from components.service import haproxy
from components.service.pod import Placement, RepoServerProxy, ServicePod
from plugin_image import contract

from .test_container import SETTINGS, SIDECAR

PLACEMENT = Placement(
    service_account="cmp-tool-v1-0",
    mount_token=False,
    node_selector={},
    tolerations=[],
    affinity={},
    topology_spread_constraints=None,
    priority_class=None,
    fs_group=999,
    selector={"app.kubernetes.io/name": "cmp-tool-v1-0"},
)
POD = ServicePod(
    plugin=SIDECAR,
    argocd_image="quay.io/argoproj/argocd:v3.2.0",
    proxy_image="haproxy@sha256:00",
    proxy_config_map="proxy-1a2b",
    certificate_secret="tool-tls",
    placement=PLACEMENT,
    drain_seconds=30,
    grace_seconds=120,
)
PROXY = RepoServerProxy(
    name="cmp-proxy",
    image="haproxy@sha256:00",
    config_map_name="proxy-1a2b",
    client_secrets={"tool-v1.0": "tool-client", "other-v1": "other-client"},
    plugins_volume="plugins",
)


def containers(pod: ServicePod = POD) -> dict[str, Any]:
    spec = pod.spec()
    return {c["name"]: c for c in (*spec["initContainers"], *spec["containers"])}


def before_stop(name: str) -> str:
    return str(containers()[name]["lifecycle"]["preStop"]["exec"]["command"][-1])


class TestAPluginsOwnPod:
    def test_runs_the_very_container_of_sidecar_mode(self) -> None:
        plugin = containers()["cmp-tool-v1-0"]
        del plugin["lifecycle"]
        assert plugin == SIDECAR.container()
        assert SIDECAR.volumes() == POD.spec()["volumes"][: len(SIDECAR.volumes())]

    def test_has_no_token_and_no_privilege_in_any_container(self) -> None:
        assert POD.spec()["automountServiceAccountToken"] is False
        assert POD.spec()["enableServiceLinks"] is False
        for container in containers().values():
            assert container["securityContext"] == ARGO_CD.security_context()

    def test_is_bounded_in_every_container(self) -> None:
        for container in containers().values():
            assert container["resources"].keys() == {"requests", "limits"}

    def test_brings_the_cmp_server_of_argo_cds_own_image(self) -> None:
        copy = containers()["copy-cmp-server"]
        assert copy["image"] == "quay.io/argoproj/argocd:v3.2.0"
        assert copy["command"] == ["/bin/cp", "/usr/local/bin/argocd", contract.CMP_SERVER]

    def test_takes_renders_only_while_the_plugin_answers(self) -> None:
        probe = containers()["proxy"]["readinessProbe"]["httpGet"]
        assert probe == {"path": "/healthz", "port": 8405, "scheme": "HTTP"}
        alive = containers()["proxy"]["livenessProbe"]["httpGet"]["path"]
        assert alive == "/livez", "a plugin that is busy is no reason to restart its proxy"

    def test_shows_the_key_of_its_certificate_to_its_proxy_alone(self) -> None:
        volume = next(v for v in POD.spec()["volumes"] if v["name"] == "proxy-tls")
        assert volume["secret"]["defaultMode"] == 0o440
        assert POD.spec()["securityContext"] == {"fsGroup": 999}
        users = [
            name
            for name, container in containers().items()
            if any(mount["name"] == "proxy-tls" for mount in container["volumeMounts"])
        ]
        assert users == ["proxy"]

    def test_ends_its_proxy_first_and_the_plugin_at_the_second_signal(self) -> None:
        takes_renders = "touch /home/argocd/cmp-server/plugins/.draining && sleep 30"
        assert before_stop("proxy") == takes_renders
        assert POD.spec()["terminationGracePeriodSeconds"] == 120
        waits = before_stop("cmp-tool-v1-0")
        assert "until [ -e /home/argocd/cmp-server/plugins/.drained ]" in waits
        first = "kill -TERM 1; while [ -e /home/argocd/cmp-server/plugins/tool-v1.0.sock ]"
        assert first in waits, "two signals at once are one"
        assert waits.endswith("sleep 1")
        assert containers()["proxy"]["command"][-1] == contract.PLUGIN_SOCKET_DIR

    def test_is_spread_over_nodes_and_zones(self) -> None:
        spread = POD.spec()["topologySpreadConstraints"]
        keys = [constraint["topologyKey"] for constraint in spread]
        assert keys == ["kubernetes.io/hostname", "topology.kubernetes.io/zone"]
        for constraint in spread:
            assert constraint["labelSelector"] == {"matchLabels": PLACEMENT.selector}

    def test_goes_where_it_is_told_and_otherwise_to_any_linux(self) -> None:
        told = replace(
            PLACEMENT,
            node_selector={"pool": "spot"},
            tolerations=[{"key": "spot", "operator": "Exists"}],
            affinity={"podAntiAffinity": {}},
            topology_spread_constraints=[{"topologyKey": "rack", "maxSkew": 2}],
            priority_class="low",
        )
        spec = replace(POD, placement=told).spec()
        assert spec["nodeSelector"] == {"kubernetes.io/os": "linux", "pool": "spot"}
        assert spec["tolerations"] == [{"key": "spot", "operator": "Exists"}]
        assert spec["priorityClassName"] == "low"
        assert spec["affinity"] == {"podAntiAffinity": {}}
        (spread,) = spec["topologySpreadConstraints"]
        own = {"labelSelector": {"matchLabels": PLACEMENT.selector}}
        assert spread == {"topologyKey": "rack", "maxSkew": 2, **own}, "counts these pods"
        stated = {"tolerations", "affinity", "priorityClassName"}
        assert not stated & POD.spec().keys()
        assert POD.spec()["nodeSelector"] == {"kubernetes.io/os": "linux"}
        spec = replace(POD, placement=replace(told, topology_spread_constraints=[])).spec()
        assert "topologySpreadConstraints" not in spec, "an empty list means none"

    @pytest.mark.parametrize(
        ("run_as", "fs_group", "mode"),
        [(User(1001, 0), 0, 0o440), (User(None, None), None, 0o444)],
    )
    def test_meets_its_proxy_at_the_socket_as_one_user(
        self, run_as: User, fs_group: int | None, mode: int
    ) -> None:
        plugin = replace(SIDECAR, settings=replace(SETTINGS, user=run_as))
        pod = replace(POD, plugin=plugin, placement=replace(PLACEMENT, fs_group=fs_group))
        for container in containers(pod).values():
            assert container["securityContext"] == run_as.security_context()
        assert pod.spec().get("securityContext", {}).get("fsGroup") == fs_group
        volume = next(v for v in pod.spec()["volumes"] if v["name"] == "proxy-tls")
        assert volume["secret"]["defaultMode"] == mode, "what cannot be read stops the proxy"


class TestTheRepoServersProxy:
    def test_is_one_hardened_container_for_all_plugins(self) -> None:
        (container,) = PROXY.pod_spec()["containers"]
        assert container["name"] == "cmp-proxy"
        assert container["securityContext"] == ARGO_CD.security_context()
        assert "readinessProbe" not in container

    def test_has_a_certificate_for_each_plugin_where_its_configuration_looks(self) -> None:
        (container,) = PROXY.pod_spec()["containers"]
        paths = {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}
        volumes = {v["name"]: v for v in PROXY.pod_spec()["volumes"]}
        for plugin, secret in PROXY.client_secrets.items():
            volume = volumes[paths[haproxy.tls_folder(plugin)]]
            assert volume["secret"]["secretName"] == secret

    def test_has_its_probes_where_its_metrics_are(self) -> None:
        (container,) = replace(PROXY, metrics_port=8406).pod_spec()["containers"]
        assert container["ports"][0]["containerPort"] == 8406
        for probe in ("startupProbe", "livenessProbe"):
            assert container[probe]["httpGet"]["port"] == 8406

    def test_names_its_volumes_after_itself(self) -> None:
        names = [volume["name"] for volume in PROXY.pod_spec()["volumes"]]
        assert all(name.startswith("cmp-proxy-") for name in names)
        assert len(set(names)) == len(names)
