"""PluginService: every object of a plugin that runs by itself."""

from typing import Any

import pulumi
import pytest

from components.service.service import PROXY_IMAGE, PluginService
from components.shared.errors import InvalidInputError

from .conftest import ARGOCD_IMAGE, IMAGE, FakeEngine, Run

MINIMAL: Any = {
    "plugin_name": "tool-v1",
    "image": IMAGE,
    "config_map_name": "tool-config-1a2b",
    "certificate_secret": "tool-tls",
}
DEPLOYMENT = "kubernetes:apps/v1:Deployment"
SELECTOR = {
    "app.kubernetes.io/name": "cmp-tool-v1",
    "app.kubernetes.io/component": "argocd-plugin",
}
HPA = "kubernetes:autoscaling/v2:HorizontalPodAutoscaler"
NETWORK_POLICY = "kubernetes:networking.k8s.io/v1:NetworkPolicy"


def made(engine: FakeEngine) -> Any:
    """The plugin's own Deployment; the other one is Argo CD's, which is read."""
    found = [r for r in engine.of_type(DEPLOYMENT) if not r.resource_id]
    assert len(found) == 1
    return found[0].inputs


def pod(engine: FakeEngine) -> Any:
    return made(engine)["spec"]["template"]["spec"]


def service(run: Run, **given: Any) -> FakeEngine:
    return run(lambda: PluginService("tool", MINIMAL | given))


def test_every_object_has_the_plugins_name_and_labels(run: Run) -> None:
    engine = service(run, namespace="gitops", max_replicas=4)
    kinds = [
        "kubernetes:core/v1:Service",
        "kubernetes:core/v1:ServiceAccount",
        "kubernetes:policy/v1:PodDisruptionBudget",
        NETWORK_POLICY,
        HPA,
    ]
    for inputs in (made(engine), *(engine.one(kind).inputs for kind in kinds)):
        assert inputs["metadata"]["name"] == "cmp-tool-v1"
        assert inputs["metadata"]["namespace"] == "gitops"
        assert inputs["metadata"]["labels"].items() >= SELECTOR.items()


def test_the_deployment_never_has_fewer_pods_than_it_should(run: Run) -> None:
    spec = made(service(run))["spec"]
    assert spec["replicas"] == 2
    assert spec["strategy"]["rollingUpdate"] == {"maxUnavailable": 0, "maxSurge": 1}
    assert spec["selector"] == {"matchLabels": SELECTOR}
    assert spec["template"]["metadata"]["labels"].items() >= SELECTOR.items()


def test_cmp_server_is_that_of_the_live_repo_server(run: Run) -> None:
    engine = service(run, namespace="gitops", deployment="cd-repo-server")
    live = [r.resource_id for r in engine.of_type(DEPLOYMENT) if r.resource_id]
    assert live == ["gitops/cd-repo-server"]
    assert pod(engine)["initContainers"][0]["image"] == ARGOCD_IMAGE


def test_the_repo_server_is_not_looked_up_where_its_image_is_given(run: Run) -> None:
    engine = service(run, argocd_image=f"argocd@sha256:{'1' * 64}", check_deployment=False)
    assert len(engine.of_type(DEPLOYMENT)) == 1
    assert pod(engine)["initContainers"][0]["image"] == f"argocd@sha256:{'1' * 64}"


def test_the_proxy_is_the_official_image_by_digest_unless_another_is_given(run: Run) -> None:
    assert pod(service(run))["containers"][1]["image"] == PROXY_IMAGE
    assert "@sha256:" in PROXY_IMAGE


def test_another_image_can_be_given_for_the_proxy(run: Run) -> None:
    assert pod(service(run, proxy_image=f"mine@sha256:{'2' * 64}"))["containers"][1][
        "image"
    ].startswith("mine")


def test_the_proxy_runs_by_an_immutable_config_map(run: Run) -> None:
    engine = service(run)
    config = engine.one("kubernetes:core/v1:ConfigMap").inputs
    assert config["immutable"] is True
    assert config["data"].keys() == {"haproxy.cfg", "run.sh"}
    volumes = {volume["name"]: volume for volume in pod(engine)["volumes"]}
    assert volumes["proxy-config"]["configMap"]["name"] == "tool-proxy-cmp-tool-v1-1a2b3c4d"
    assert volumes["proxy-tls"]["secret"]["secretName"] == "tool-tls"


def test_the_service_is_headless_and_labelled_as_argo_cds_proposal_asks(run: Run) -> None:
    inputs = service(run).one("kubernetes:core/v1:Service").inputs
    assert inputs["spec"]["clusterIP"] == "None"
    assert inputs["spec"]["selector"] == SELECTOR
    assert inputs["spec"]["ports"] == [{"name": "renders", "port": 8443, "protocol": "TCP"}]
    assert inputs["metadata"]["labels"]["argocd.argoproj.io/plugin"] == "true"


def test_its_own_service_account_has_no_token_and_can_have_an_identity(run: Run) -> None:
    role = {"eks.amazonaws.com/role-arn": "arn:aws:iam::123456789012:role/plugin"}
    engine = service(run, service_account_annotations=role)
    account = engine.one("kubernetes:core/v1:ServiceAccount").inputs
    assert account["automountServiceAccountToken"] is False
    assert account["metadata"]["annotations"] == role
    assert pod(engine)["serviceAccountName"] == "cmp-tool-v1"
    assert pod(engine)["automountServiceAccountToken"] is False


def test_an_existing_service_account_is_used_with_its_token(run: Run) -> None:
    engine = service(run, service_account="robot")
    assert not engine.of_type("kubernetes:core/v1:ServiceAccount")
    assert pod(engine)["serviceAccountName"] == "robot"
    assert pod(engine)["automountServiceAccountToken"] is True


def test_only_the_repo_servers_pods_may_connect(run: Run) -> None:
    spec = service(run).one(NETWORK_POLICY).inputs["spec"]
    assert spec == {
        "podSelector": {"matchLabels": SELECTOR},
        "policyTypes": ["Ingress"],
        "ingress": [
            {
                "from": [
                    {
                        "podSelector": {
                            "matchLabels": {"app.kubernetes.io/name": "argocd-repo-server"}
                        }
                    }
                ],
                "ports": [{"port": 8443, "protocol": "TCP"}],
            }
        ],
    }


def test_one_namespace_may_read_metrics_where_it_is_named(run: Run) -> None:
    spec = service(run, metrics_namespace="monitoring").one(NETWORK_POLICY).inputs["spec"]
    labels = {"kubernetes.io/metadata.name": "monitoring"}
    assert spec["ingress"][1] == {
        "from": [{"namespaceSelector": {"matchLabels": labels}}],
        "ports": [{"port": 8405, "protocol": "TCP"}],
    }


def test_one_pod_at_a_time_may_be_evicted(run: Run) -> None:
    spec = service(run).one("kubernetes:policy/v1:PodDisruptionBudget").inputs["spec"]
    assert spec == {"maxUnavailable": 1, "selector": {"matchLabels": SELECTOR}}


def test_nothing_scales_unless_it_is_asked_for(run: Run) -> None:
    assert not service(run).of_type(HPA)


def test_it_scales_by_cpu_and_by_a_metric_where_one_is_named(run: Run) -> None:
    engine = service(
        run,
        replicas=3,
        max_replicas=9,
        renders_metric="haproxy_backend_current_sessions",
        renders_per_pod=4,
    )
    assert made(engine)["spec"]["replicas"] == 3, "or there is one until the autoscaler acts"
    spec = engine.one(HPA).inputs["spec"]
    assert (spec["minReplicas"], spec["maxReplicas"]) == (3, 9)
    assert spec["scaleTargetRef"]["name"] == "cmp-tool-v1"
    assert spec["metrics"] == [
        {
            "type": "Resource",
            "resource": {
                "name": "cpu",
                "target": {"type": "Utilization", "averageUtilization": 70},
            },
        },
        {
            "type": "Pods",
            "pods": {
                "metric": {"name": "haproxy_backend_current_sessions"},
                "target": {"type": "AverageValue", "averageValue": "4"},
            },
        },
    ]


def test_the_host_is_what_its_certificate_is_for(run: Run) -> None:
    hosts: list[str] = []

    def program() -> object:
        made = PluginService("tool", MINIMAL | {"namespace": "gitops"})
        return made.service_host.apply(hosts.append)

    run(program)
    assert hosts == ["cmp-tool-v1.gitops.svc"]


def test_without_waiting_for_it_the_roll_out_is_not_awaited(run: Run) -> None:
    annotations = made(service(run, await_rollout=False))["metadata"]["annotations"]
    assert annotations == {"pulumi.com/skipAwait": "true"}


@pytest.mark.parametrize(
    ("given", "field", "reason"),
    [
        ({"replicas": 0}, "replicas", "at least 1"),
        ({"max_replicas": 1}, "max_replicas", "less than replicas"),
        ({"grace_seconds": "90"}, "grace_seconds", "whole number"),
        ({"grace_seconds": 30}, "grace_seconds", "no more than drain_seconds"),
        ({"drain_seconds": 0}, "drain_seconds", "at least 1"),
        ({"tolerations": [{"kee": "spot"}]}, "tolerations[0].kee", "would drop it"),
        ({"tolerations": {"key": "spot"}}, "tolerations", "list of Tolerations"),
        ({"node_selector": {"pool": 1}}, "node_selector", "not a string"),
        ({"repo_server_labels": {}}, "repo_server_labels", "every pod"),
        ({"image_pull_secrets": ["No_Name"]}, "image_pull_secrets", "not a valid object name"),
        ({"service_account": "No_Name"}, "service_account", "not a valid object name"),
        (
            {"service_account": "own", "service_account_annotations": {}},
            "service_account_annotations",
            "service_account names another",
        ),
        ({"cpu_utilization": 50}, "cpu_utilization", "without max_replicas"),
        ({"renders_metric": "renders"}, "renders_metric", "without max_replicas"),
        ({"max_replicas": 4, "renders_per_pod": 3}, "renders_per_pod", "without renders_metric"),
        ({"priority_class": "No_Name"}, "priority_class", "not a valid object name"),
        ({"certificate_secret": None}, "certificate_secret", "is missing"),
        ({"check_deployment": False}, "argocd_image", "is missing"),
        ({"env": {"A": pulumi.Output.secret("x")}}, "env", "Pulumi secret"),
        ({"replica": 3}, "replica", "no"),
        # What is said of the repo-server's pod, which is not touched here.
        ({"export": True}, "export", "not an argument"),
        ({"plugins_volume": "sockets"}, "plugins_volume", "not an argument"),
        ({"var_files_volume": "programs"}, "var_files_volume", "not an argument"),
    ],
)
def test_bad_input_is_refused_and_nothing_is_made(
    run: Run, engine: FakeEngine, given: Any, field: str, reason: str
) -> None:
    with pytest.raises(InvalidInputError) as raised:
        service(run, **given)
    assert raised.value.field == field
    assert reason in raised.value.problem
    assert not [r for r in engine.of_type(DEPLOYMENT) if not r.resource_id]
