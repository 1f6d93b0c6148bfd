"""What somebody has changed of a sidecar is found field by field, and by whose hand."""

import copy
from collections.abc import Callable
from typing import Any

import pulumi_kubernetes as k8s
import pytest

from components.repo_server import drift
from components.repo_server import live as live_deployment
from components.shared.errors import InvalidInputError

APPLIED: dict[str, Any] = {
    "containers": [
        {
            "name": "cmp-a",
            "image": "registry/a:1",
            "command": ["cmp-server", "--loglevel", "info"],
            "env": [{"name": "A", "value": "1000m"}, {"name": "B", "value": "2"}],
            "ports": [{"containerPort": 8080}],
            "resources": {"limits": {"cpu": "1000m", "memory": "1Gi"}},
            "securityContext": {"runAsUser": 999, "capabilities": {"drop": ["ALL"]}},
            "livenessProbe": {"exec": {"command": ["probe"]}, "periodSeconds": 30},
            "volumeMounts": [{"name": "work", "mountPath": "/tmp"}],
        }
    ],
    "volumes": [
        {"name": "work", "emptyDir": {}},
        {"name": "config", "configMap": {"name": "a-1", "items": [{"key": "k", "path": "p"}]}},
    ],
}


def live() -> dict[str, Any]:
    """As the API server returns it: with defaults, other spellings, and others' parts."""
    pod = copy.deepcopy(APPLIED)
    container = pod["containers"][0]
    container |= {"imagePullPolicy": "IfNotPresent", "terminationMessagePath": "/dev/x"}
    container["ports"][0]["protocol"] = "TCP"
    container["resources"]["limits"] = {"cpu": "1", "memory": "1024Mi"}
    container["livenessProbe"]["timeoutSeconds"] = 1
    container["env"].reverse()
    pod["containers"].insert(0, {"name": "argocd-repo-server", "image": "argocd"})
    pod["volumes"][1]["configMap"]["defaultMode"] = 420
    return pod


def container(pod: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = pod["containers"][1]
    return found


def owned(*path: str) -> dict[str, Any]:
    below: dict[str, Any] = {}
    for step in reversed(("f:spec", "f:template", "f:spec", *path)):
        below = {step: below}
    return below


def managed(fields: dict[str, Any], manager: str = "kubectl-set") -> list[dict[str, Any]]:
    everything = owned("f:containers", 'k:{"name":"cmp-a"}', "f:image")
    ours = {"manager": "pulumi-kubernetes-1a2b", "operation": "Apply", "fieldsV1": everything}
    return [ours, {"manager": manager, "operation": "Update", "fieldsV1": fields}]


OF_CONTAINER = ("f:containers", 'k:{"name":"cmp-a"}')


def test_what_is_as_it_was_applied_is_no_drift_whatever_the_api_server_adds() -> None:
    assert drift.find(APPLIED, live(), managed({})) == []


@pytest.mark.parametrize(
    ("field", "change", "path"),
    [
        (
            "containers[cmp-a].image",
            lambda pod: container(pod).update(image="evil"),
            (*OF_CONTAINER, "f:image"),
        ),
        (
            "containers[cmp-a].command",
            lambda pod: container(pod)["command"].append("--verbose"),
            (*OF_CONTAINER, "f:command"),
        ),
        (
            "containers[cmp-a].env[A].value",
            lambda pod: container(pod)["env"][1].update(value="1"),
            (*OF_CONTAINER, "f:env", 'k:{"name":"A"}', "f:value"),
        ),
        (
            "containers[cmp-a].resources.limits.memory",
            lambda pod: container(pod)["resources"]["limits"].update(memory="2Gi"),
            (*OF_CONTAINER, "f:resources", "f:limits", "f:memory"),
        ),
        (
            "containers[cmp-a].securityContext.runAsUser",
            lambda pod: container(pod)["securityContext"].update(runAsUser=0),
            (*OF_CONTAINER, "f:securityContext", "f:runAsUser"),
        ),
        (
            "containers[cmp-a].livenessProbe.exec.command",
            lambda pod: container(pod)["livenessProbe"].update(exec={"command": ["true"]}),
            (*OF_CONTAINER, "f:livenessProbe", "f:exec", "f:command"),
        ),
        (
            "containers[cmp-a].volumeMounts[/tmp].name",
            lambda pod: container(pod)["volumeMounts"][0].update(name="config"),
            (*OF_CONTAINER, "f:volumeMounts", 'k:{"mountPath":"/tmp"}', "f:name"),
        ),
        (
            "volumes[config].configMap.name",
            lambda pod: pod["volumes"][1]["configMap"].update(name="b-2"),
            ("f:volumes", 'k:{"name":"config"}', "f:configMap", "f:name"),
        ),
    ],
)
def test_a_changed_field_is_found_with_who_owns_it_now(
    field: str, change: Callable[[Any], Any], path: tuple[str, ...]
) -> None:
    pod = live()
    change(pod)
    assert drift.find(APPLIED, pod, managed(owned(*path))) == [drift.Change(field, ["kubectl-set"])]


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("containers[cmp-a]", lambda pod: pod["containers"].pop(1)),
        ("containers[cmp-a].env[B]", lambda pod: container(pod)["env"].pop(0)),
        ("containers[cmp-a].command", lambda pod: container(pod).pop("command")),
    ],
)
def test_what_is_gone_is_drift_though_nobody_owns_it_and_told_once(
    field: str, change: Callable[[Any], Any]
) -> None:
    pod = live()
    change(pod)
    assert drift.find(APPLIED, pod, managed({})) == [drift.Change(field, [])]


def test_what_an_admission_webhook_makes_of_the_patch_is_no_drift() -> None:
    pod = live()
    container(pod)["image"] = "mirror/a:1"
    webhook = owned(*OF_CONTAINER, "f:image")
    assert drift.find(APPLIED, pod, managed(webhook, "pulumi-kubernetes-1a2b")) == []


def test_the_live_pod_is_read_in_the_names_of_the_api() -> None:
    volume = k8s.core.v1.outputs.AWSElasticBlockStoreVolumeSource(volume_id="v", fs_type="ext4")
    source = k8s.core.v1.outputs.ConfigMapVolumeSource(
        items=[k8s.core.v1.outputs.KeyToPath(key="k", path="p")], name="a"
    )
    selector = {"matchLabels": {"snake_case": "1"}}
    assert live_deployment._plain([volume, source, selector]) == [
        {"volumeID": "v", "fsType": "ext4"},
        {"items": [{"key": "k", "path": "p"}], "name": "a"},
        selector,
    ]


def test_the_refusal_names_each_field_its_owner_and_the_way_out() -> None:
    changes = [drift.Change("containers[a].image", ["kubectl-set"]), drift.Change("x.y", [])]
    with pytest.raises(InvalidInputError) as raised:
        drift.refuse("argocd/argocd-repo-server", changes)
    message = str(raised.value)
    assert "containers[a].image (now of kubectl-set); x.y (gone)" in message
    assert "on_drift is stop" in message
    assert "set it to restore" in message
    assert "argocd/argocd-repo-server" in message


def test_a_pull_secret_counts_by_its_name_beside_those_of_others() -> None:
    applied = APPLIED | {"imagePullSecrets": [{"name": "ours"}]}
    pod = live() | {"imagePullSecrets": [{"name": "theirs"}, {"name": "ours"}]}
    assert drift.find(applied, pod, []) == []
    pod["imagePullSecrets"].pop()
    assert [str(change) for change in drift.find(applied, pod, [])] == [
        "imagePullSecrets[ours] (gone)"
    ]
