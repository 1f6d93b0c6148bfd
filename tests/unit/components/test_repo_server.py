"""RepoServerSidecar: a patch that owns its own fields and nothing else."""

from typing import Any

import pulumi
import pulumi_kubernetes as k8s
import pytest

from components.repo_server.sidecar import RepoServerSidecar
from components.shared.errors import InvalidInputError

from .conftest import IMAGE, FakeEngine, Run

PATCH = "kubernetes:apps/v1:DeploymentPatch"
DEPLOYMENT = "kubernetes:apps/v1:Deployment"
MINIMAL: Any = {"plugin_name": "tool-v1", "image": IMAGE, "config_map_name": "tool-config-1a2b"}


def patch(engine: FakeEngine) -> Any:
    return engine.one(PATCH).inputs


def test_the_patch_has_one_container_and_its_volumes_and_no_other_field(run: Run) -> None:
    inputs = patch(run(lambda: RepoServerSidecar("tool", MINIMAL)))
    assert inputs["metadata"].keys() == {"namespace", "name", "annotations"}
    assert inputs["metadata"]["annotations"].keys() == {"argocd-cmp/cmp-tool-v1"}
    assert list(inputs["spec"]) == ["template"]
    assert list(inputs["spec"]["template"]) == ["spec"]
    pod = inputs["spec"]["template"]["spec"]
    assert set(pod) == {"containers", "volumes"}
    assert [container["name"] for container in pod["containers"]] == ["cmp-tool-v1"]
    assert all(volume["name"].startswith("cmp-tool-v1-") for volume in pod["volumes"])


def test_every_name_of_the_argo_cd_installation_is_an_input(run: Run, engine: FakeEngine) -> None:
    engine.volumes = ["files", "sockets"]
    inputs = patch(
        run(
            lambda: RepoServerSidecar(
                "tool",
                MINIMAL
                | {
                    "namespace": "gitops",
                    "deployment": "cd-argocd-repo-server",
                    "var_files_volume": "files",
                    "plugins_volume": "sockets",
                },
            )
        )
    )
    assert inputs["metadata"]["namespace"] == "gitops"
    assert inputs["metadata"]["name"] == "cd-argocd-repo-server"
    mounts = inputs["spec"]["template"]["spec"]["containers"][0]["volumeMounts"]
    assert {"files", "sockets"} < {mount["name"] for mount in mounts}


def test_waiting_for_the_roll_out_is_the_default_and_an_option(run: Run) -> None:
    def program() -> None:
        RepoServerSidecar("waits", MINIMAL)
        RepoServerSidecar("goes-on", MINIMAL | {"plugin_name": "b-v1", "await_rollout": False})

    annotations = {
        resource.name: resource.inputs["metadata"]["annotations"]
        for resource in run(program).of_type(PATCH)
    }
    assert "pulumi.com/skipAwait" not in annotations["waits-cmp-tool-v1"]
    assert annotations["goes-on-cmp-b-v1"]["pulumi.com/skipAwait"] == "true"


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_each_version_has_a_patch_of_its_own_so_that_the_next_is_there_before_it_goes(
    run: Run, version: str
) -> None:
    def program() -> None:
        later = pulumi.Output.from_input(f"tool-{version}")
        RepoServerSidecar("tool", MINIMAL | {"plugin_name": later})

    engine = run(program)
    assert engine.one(PATCH).name == f"tool-cmp-tool-{version}"


def test_two_patches_of_one_deployment_never_set_one_field_differently(run: Run) -> None:
    def program() -> None:
        RepoServerSidecar("a", MINIMAL | {"plugin_name": "a-v1", "await_rollout": False})
        RepoServerSidecar("b", MINIMAL | {"plugin_name": "b-v1", "await_rollout": False})

    one, two = (resource.inputs for resource in run(program).of_type(PATCH))
    annotations = [inputs["metadata"]["annotations"] for inputs in (one, two)]
    assert annotations[0].keys() & annotations[1].keys() == {"pulumi.com/skipAwait"}
    pods = [inputs["spec"]["template"]["spec"] for inputs in (one, two)]
    for field in ("containers", "volumes"):
        names = [{item["name"] for item in pod[field]} for pod in pods]
        assert not names[0] & names[1]


@pytest.mark.parametrize("other", ["tool-v1.0", "tool-v1-0"])
def test_two_of_one_program_that_make_the_same_container_are_refused(run: Run, other: str) -> None:
    def program() -> None:
        RepoServerSidecar("a", MINIMAL | {"plugin_name": "tool-v1.0"})
        RepoServerSidecar("elsewhere", MINIMAL | {"plugin_name": other, "namespace": "gitops"})
        RepoServerSidecar("b", MINIMAL | {"plugin_name": other})

    with pytest.raises(InvalidInputError) as raised:
        run(program)
    assert (
        "RepoServerSidecar b: plugin_name and version make the container cmp-tool-v1-0, as "
        in str(raised.value)
    )
    assert "RepoServerSidecar a do" in str(raised.value)


def test_one_program_installs_the_same_container_into_several_clusters(run: Run) -> None:
    def program() -> None:
        for name in ("east", "west"):
            opts = pulumi.ResourceOptions(provider=k8s.Provider(name, context=name))
            args = MINIMAL | {"metrics_port": 8406, "metrics_command": ["metrics"]}
            RepoServerSidecar(name, args, opts)

    assert len(run(program).of_type(PATCH)) == 2


def test_the_deployment_is_looked_up(run: Run) -> None:
    engine = run(lambda: RepoServerSidecar("tool", MINIMAL))
    assert engine.one(DEPLOYMENT).resource_id == "argocd/argocd-repo-server"


def test_what_the_same_stack_makes_is_looked_up_once_a_patch_of_it_says_that_it_is_there(
    run: Run,
) -> None:
    engine = run(lambda: RepoServerSidecar("tool", MINIMAL | {"check_deployment": False}))
    made, looked_up, patched = (
        resource for resource in engine.resources if resource.typ in (PATCH, DEPLOYMENT)
    )
    assert (made.name, patched.name) == ("tool-made", "tool-cmp-tool-v1")
    # Nobody waits for it, and it touches nothing that another one sets differently.
    assert made.inputs["metadata"]["annotations"] == {"pulumi.com/skipAwait": "true"}
    assert "spec" not in made.inputs
    assert looked_up.resource_id == "argocd/argocd-repo-server"


def test_a_deployment_without_the_shared_volumes_is_not_patched(
    run: Run, engine: FakeEngine
) -> None:
    engine.volumes = ["tmp"]
    with pytest.raises(InvalidInputError, match="no volume of that name"):
        run(lambda: RepoServerSidecar("tool", MINIMAL))
    assert not engine.of_type(PATCH)


@pytest.mark.parametrize(
    ("given", "field", "reason"),
    [
        ({"namespace": "Argo CD"}, "namespace", "DNS label"),
        ({"deployment": "repo_server"}, "deployment", "not a valid object name"),
        ({"await_rollout": "false"}, "await_rollout", "true or false"),
        ({"check_deployment": "no"}, "check_deployment", "true or false"),
        ({"image": None}, "image", "is missing"),
        ({"image": " "}, "image", "is empty"),
        ({"env": {"HOME": "/"}}, "env", "writable home"),
        (
            {"env": {"A": "1"}, "secret_name": "s", "secret_env_keys": ["A"]},
            "env",
            "credentials set as well",
        ),
        ({"env": {"A": pulumi.Output.secret("x")}}, "env", "Pulumi secret"),
        ({"memory_limit": "2 GB"}, "memory_limit", "not a Kubernetes quantity"),
        ({"cpu_request": 1}, "cpu_request", "must be a string"),
        ({"tmp_size": "-1Gi"}, "tmp_size", "not a Kubernetes quantity"),
        ({"probe_command": []}, "probe_command", "no program"),
        ({"var_files_volume": "Files"}, "var_files_volume", "DNS label"),
        ({"plugin_name": "a" * 60}, "plugin_name", "container name"),
    ],
)
def test_bad_input_is_refused_and_nothing_is_patched(
    run: Run, engine: FakeEngine, given: Any, field: str, reason: str
) -> None:
    with pytest.raises(InvalidInputError) as raised:
        run(lambda: RepoServerSidecar("tool", MINIMAL | given))
    assert raised.value.field == field
    assert reason in raised.value.problem
    assert raised.value.where == "RepoServerSidecar tool"
    assert not engine.of_type(PATCH)
