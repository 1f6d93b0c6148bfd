"""Metrics are off, or on a port of their own beside every plugin, in both modes and every form."""

from typing import Any

import pulumi
import pytest
import yaml

from components.catalog.kpt import KptPlugin
from components.catalog.plugin import ConfigManagementPlugin, needed_rights
from components.catalog.pulumi import PulumiPlugin
from components.container.container import Json
from components.export import merging
from components.export.export import PluginExport
from components.export.forms import CONTAINER_LABEL
from components.service.service import SERVICE_PORTS
from components.shared.errors import InvalidInputError
from plugin_image import contract
from plugin_image.renderer import cli

from .conftest import IMAGE, FakeEngine, Run

PATCH = "kubernetes:apps/v1:DeploymentPatch"
POD_MONITOR = "kubernetes:monitoring.coreos.com/v1:PodMonitor"
NAME = "cmp-pulumi-v1-0"
VARIABLE = {
    "name": contract.RendererEnv.METRICS_SOCKET.value,
    "value": contract.METRICS_SOCKET,
}
ON: Any = {"image": IMAGE, "metrics_port": 8406}
OFF: Any = {"image": IMAGE}
MONITORED: Any = ON | {"pod_monitor": True, "pod_monitor_labels": {"release": "prometheus"}}
SERVICE: Any = {
    "mode": "service",
    "argocd_image": "quay.io/argoproj/argocd:v3.2.0",
    "certificates": "existing",
    "server_secret": "a",
    "client_secret": "b",
    "metrics_namespace": "monitoring",
}


def pod(run: Run, given: Any) -> Json:
    """The spec of the pod that the plugin runs in, as far as it is the plugin's."""
    engine = run(lambda: PulumiPlugin("pulumi", given))
    typ = "kubernetes:apps/v1:Deployment" if "mode" in given else PATCH
    made = [r.inputs["spec"] for r in engine.of_type(typ) if "spec" in r.inputs]
    return dict(made[0]["template"]["spec"])


def containers(spec: Json) -> dict[str, Json]:
    return {container["name"]: container for container in spec["containers"]}


@pytest.mark.parametrize("mode", [{}, SERVICE], ids=["sidecar", "service"])
class TestInBothModes:
    def test_nothing_of_them_is_there_unless_they_are_wanted(self, run: Run, mode: Any) -> None:
        found = containers(pod(run, OFF | mode))
        assert f"{NAME}-metrics" not in found
        assert VARIABLE not in found[NAME]["env"]

    def test_a_second_container_serves_them_with_nothing_but_the_cache(
        self, run: Run, mode: Any
    ) -> None:
        spec = pod(run, ON | mode)
        plugin, metrics = (containers(spec)[name] for name in (NAME, f"{NAME}-metrics"))
        assert VARIABLE in plugin["env"]
        for same in ("image", "securityContext"):
            assert metrics[same] == plugin[same]
        assert metrics["volumeMounts"] == [
            {"name": f"{NAME}-cache", "mountPath": contract.CACHE_DIR}
        ]
        assert f"{NAME}-cache" in [volume["name"] for volume in spec["volumes"]]
        assert {variable["name"] for variable in metrics["env"]} == {
            "POD_IP",
            "METRICS_PORT",
            "OTEL_SERVICE_NAME",
        }
        (port,) = metrics["ports"]
        assert port == {"name": "metrics-8406", "containerPort": 8406, "protocol": "TCP"}
        for probe in ("startupProbe", "livenessProbe"):
            assert metrics[probe]["httpGet"] == {"path": "/metrics", "port": 8406, "scheme": "HTTP"}
        assert "readinessProbe" not in metrics
        assert len(port["name"]) <= len("metrics-65535") <= 15

    def test_it_is_told_where_traces_go_and_nothing_else_of_the_plugins_variables(
        self, run: Run, mode: Any
    ) -> None:
        to = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://tempo.observability:4317"}
        env = {"env": to | {"AWS_REGION": "eu-west-1"}}
        found = containers(pod(run, ON | mode | env))[f"{NAME}-metrics"]["env"]
        told = {variable["name"]: variable.get("value") for variable in found}
        assert told == to | {
            "POD_IP": None,
            "METRICS_PORT": "8406",
            "OTEL_SERVICE_NAME": "pulumi-v1.0",
        }

    def test_its_own_variables_are_there_once_though_the_plugin_has_such(
        self, run: Run, mode: Any
    ) -> None:
        ip: Any = {"fieldRef": {"fieldPath": "status.podIP"}}
        values = {"OTEL_RESOURCE_ATTRIBUTES": "k8s.pod.ip=$(POD_IP),port=$(METRICS_PORT)"}
        env = {"env": values | {"METRICS_PORT": "1"}, "env_value_from": {"POD_IP": ip}}
        found = containers(pod(run, ON | mode | env))[f"{NAME}-metrics"]["env"]
        assert [variable["name"] for variable in found] == [
            *("POD_IP", "METRICS_PORT", "OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES"),
        ]
        assert found[1]["value"] == "8406"

    def test_what_says_where_traces_go_may_refer_to_other_variables(
        self, run: Run, mode: Any
    ) -> None:
        """As to the address of an agent on the node, and to a key of a Secret."""
        address: Any = {"fieldRef": {"fieldPath": "status.hostIP"}}
        key: Any = {"secretKeyRef": {"name": "tempo", "key": "token"}}
        values = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": "http://$(NODE_IP):4317",
            "OTEL_EXPORTER_OTLP_HEADERS": "authorization=$(TOKEN)",
        }
        env = {
            "env": values,
            "env_value_from": {"NODE_IP": address, "POD": {"fieldRef": {"fieldPath": "a"}}},
            "existing_secrets": [{"name": "tempo", "env": {"TOKEN": "token", "OTHER": "token"}}],
        }
        found = containers(pod(run, ON | mode | env))
        told = [
            {"name": "NODE_IP", "valueFrom": address},
            {"name": "TOKEN", "valueFrom": key},
            *({"name": name, "value": value} for name, value in values.items()),
        ]
        assert found[f"{NAME}-metrics"]["env"][-4:] == told
        names = [variable["name"] for variable in found[NAME]["env"]]
        assert names.index("NODE_IP") < names.index("OTEL_EXPORTER_OTLP_ENDPOINT")
        assert names.index("TOKEN") < names.index("OTEL_EXPORTER_OTLP_HEADERS")

    def test_its_command_is_one_of_the_renderer(self, run: Run, mode: Any) -> None:
        command = containers(pod(run, ON | mode))[f"{NAME}-metrics"]["command"]
        known = {"$(POD_IP)": "10.0.0.1", "$(METRICS_PORT)": "8406"}
        executable, name, *arguments = (known.get(word, word) for word in command)
        assert executable == contract.RENDERER_COMMAND
        context = cli.main.commands[name].make_context(name, arguments)
        asked = {key: str(value) for key, value in context.params.items()}
        assert asked == {"socket": contract.METRICS_SOCKET, "address": "10.0.0.1", "port": "8406"}

    def test_a_pod_monitor_selects_the_pods_and_the_port(self, run: Run, mode: Any) -> None:
        engine = run(lambda: PulumiPlugin("pulumi", MONITORED | mode | {"namespace": "gitops"}))
        made = engine.one(POD_MONITOR).inputs
        assert made["metadata"] == {
            "name": NAME,
            "namespace": "gitops",
            "labels": {"release": "prometheus"},
        }
        assert made["spec"]["podMetricsEndpoints"] == [{"port": "metrics-8406", "path": "/metrics"}]
        selected = made["spec"]["selector"]["matchLabels"]
        if mode:
            (deployment,) = (
                r.inputs["spec"]
                for r in engine.of_type("kubernetes:apps/v1:Deployment")
                if "spec" in r.inputs
            )
            assert selected.items() <= deployment["template"]["metadata"]["labels"].items()
        else:
            assert selected == {"app.kubernetes.io/name": "argocd-repo-server"}

    def test_the_rights_for_it_are_asked_for_where_it_is_made(self, run: Run, mode: Any) -> None:
        def kinds(given: Any) -> set[str]:
            return {right.resource for right in needed_rights("argocd", given | mode)}

        assert kinds(MONITORED) - kinds(ON) == {"podmonitors"}


def test_in_service_mode_whoever_reads_the_proxys_metrics_reads_them_too(run: Run) -> None:
    given = SERVICE
    policy = "kubernetes:networking.k8s.io/v1:NetworkPolicy"
    for metrics, ports in ((OFF, [8405]), (ON, [8405, 8406])):
        engine = run(lambda metrics=metrics: PulumiPlugin("pulumi", metrics | given))  # type: ignore[misc]
        _, rule = engine.of_type(policy)[-1].inputs["spec"]["ingress"]
        assert [allowed["port"] for allowed in rule["ports"]] == ports


def test_a_pod_monitor_selects_a_repo_server_by_the_labels_that_are_given(run: Run) -> None:
    labels = {"app.kubernetes.io/name": "prod-repo-server"}
    engine = run(lambda: PulumiPlugin("pulumi", MONITORED | {"repo_server_labels": labels}))
    assert engine.one(POD_MONITOR).inputs["spec"]["selector"] == {"matchLabels": labels}


FIELD = "metrics_port is 8406, on which container {} of the repo-server's pods listens already"


class TestAPortIsRefused:
    def test_that_another_plugin_of_the_program_has(self, run: Run) -> None:
        def program() -> None:
            PulumiPlugin("one", ON)
            KptPlugin("two", ON)

        with pytest.raises(InvalidInputError, match=FIELD.format("cmp-.*-metrics")) as raised:
            run(program)
        assert raised.value.fix == "set another one"

    def test_but_not_in_another_pod(self, run: Run) -> None:
        def program() -> None:
            PulumiPlugin("one", ON)
            PulumiPlugin("two", ON | SERVICE | {"version": "v2"})
            KptPlugin("three", ON | {"namespace": "other"})

        run(program)

    def test_that_a_container_of_the_live_pod_has(self, run: Run, engine: FakeEngine) -> None:
        engine.ports = [8081, 8406]
        with pytest.raises(InvalidInputError, match=FIELD.format("argocd-repo-server")):
            run(lambda: PulumiPlugin("one", ON))

    @pytest.mark.parametrize("port", [8081, 8084])
    @pytest.mark.parametrize("how", [{"check_deployment": False}, {"export": True}], ids=str)
    def test_that_argo_cd_has_also_where_no_cluster_is_asked(
        self, run: Run, how: Any, port: int
    ) -> None:
        def program() -> None:
            plugin = PulumiPlugin("one", OFF | {"metrics_port": port} | how)
            if "export" in how:
                PluginExport("all", {"form": "kustomize", "plugins": [plugin.exported]})

        with pytest.raises(InvalidInputError, match=f"metrics_port is {port}, .*repo-server"):
            run(program)

    @pytest.mark.parametrize("port", SERVICE_PORTS)
    def test_that_haproxy_has_in_the_plugins_own_pods(self, run: Run, port: int) -> None:
        with pytest.raises(InvalidInputError, match=f"metrics_port is {port}, on which HAProxy"):
            run(lambda: PulumiPlugin("one", OFF | SERVICE | {"metrics_port": port}))

    def test_for_which_a_plugin_has_no_command(self, run: Run) -> None:
        given: Any = ON | {"plugin_name": "tool", "generate_command": ["a"]}
        with pytest.raises(InvalidInputError, match=r"metrics_port is set, but nothing"):
            run(lambda: ConfigManagementPlugin("one", given))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (OFF | {"pod_monitor": True}, r"pod_monitor is true, but there are no metrics"),
        (ON | {"pod_monitor_labels": {"a": "b"}}, r"pod_monitor_labels is set, but there is no"),
        (ON | {"repo_server_labels": {"a": "b"}}, r"repo_server_labels is for mode service"),
        (
            {k: v for k, v in (MONITORED | SERVICE).items() if k != "metrics_namespace"},
            r"the NetworkPolicy of the plugin's pods lets no Prometheus in",
        ),
    ],
    ids=["no metrics", "no PodMonitor", "no PodMonitor in sidecar mode", "nobody let in"],
)
def test_what_nothing_would_read_is_refused(run: Run, given: Any, said: str) -> None:
    with pytest.raises(InvalidInputError, match=said):
        run(lambda: PulumiPlugin("pulumi", given))


class TestExported:
    @pytest.mark.parametrize("form", ["kustomize", "argo-helm", "operator"])
    def test_every_form_has_the_container_and_the_pod_monitor(self, run: Run, form: str) -> None:
        files = exported(run, form, MONITORED)
        everything = "\n".join(files.values())
        assert everything.count(f"name: {NAME}-metrics\n") == 1
        (monitor,) = _pod_monitors(files)
        assert monitor["metadata"]["labels"] == {"release": "prometheus", CONTAINER_LABEL: NAME}
        assert monitor["spec"]["podMetricsEndpoints"][0]["port"] == "metrics-8406"
        if form == "kustomize":
            kustomization = yaml.safe_load(files["kustomization.yaml"])
            assert "pod-monitors.yaml" in kustomization["resources"]

    def test_nothing_is_made_in_the_cluster(self, run: Run, engine: FakeEngine) -> None:
        exported(run, "kustomize", MONITORED)
        assert not engine.of_type(POD_MONITOR)
        asked = needed_rights("argocd", MONITORED | {"export": True})
        assert "podmonitors" not in {right.resource for right in asked}

    @pytest.mark.parametrize(
        "form", [merging.OPERATOR, merging.ARGO_HELM], ids=["operator", "helm"]
    )
    def test_metrics_that_are_switched_off_leave_what_is_merged(
        self, run: Run, form: merging.Form
    ) -> None:
        name = "operator" if form is merging.OPERATOR else "argo-helm"
        with_metrics, without = (
            yaml.safe_load(exported(run, name, given)[form.file]) for given in (ON, OFF)
        )
        theirs = {"name": "vault", "image": "vault:1"}
        place = with_metrics
        for key in form.containers:
            place = place[key]
        place.append(theirs)
        found = merging.merged(form, with_metrics, without)
        for key in form.containers:
            found = found[key]
        assert [container["name"] for container in found] == [NAME, "vault"]  # type: ignore[index]


def exported(run: Run, form: str, given: Any) -> dict[str, str]:
    files: dict[str, str] = {}

    def program() -> None:
        plugin = PulumiPlugin("pulumi", given | {"export": True})
        made = PluginExport("all", {"form": form, "plugins": [plugin.exported]})
        pulumi.Output.from_input(made.files).apply(files.update)

    run(program)
    return files


def _pod_monitors(files: dict[str, str]) -> list[Json]:
    documents = [d for text in files.values() for d in yaml.safe_load_all(text)]
    objects = [*documents, *(o for d in documents for o in d.get("extraObjects", []))]
    return [o for o in objects if o.get("kind") == "PodMonitor"]
