"""What can be said of a plugin's pod is the same in a sidecar, in a pod of its own and in files."""

from collections.abc import Callable, Mapping
from typing import Any

import pulumi
import pytest
import yaml

from components.catalog.plugin import ConfigManagementPlugin, needed_rights
from components.container.plugin_yaml import PluginDefinitionArgs, PluginNameArgs
from components.export.export import PluginExport
from components.repo_server import same_user
from components.shared.errors import InvalidInputError
from plugin_image import contract

from .conftest import IMAGE, FakeEngine, Run
from .test_container import SIDECAR

PATCH = "kubernetes:apps/v1:DeploymentPatch"
DEPLOYMENT = "kubernetes:apps/v1:Deployment"
CONFIG_MAP = "kubernetes:core/v1:ConfigMap"
TOOL: Any = {"plugin_name": "tool", "version": "v1", "generate_command": ["a"], "image": IMAGE}
SERVICE: Any = {
    "mode": "service",
    "argocd_image": "quay.io/argoproj/argocd:v3.2.0",
    "certificates": "existing",
    "server_secret": "a",
    "client_secret": "b",
}


def sidecar(run: Run, given: Mapping[str, Any]) -> Any:
    engine = run(lambda: ConfigManagementPlugin("tool", TOOL | given))
    return engine.of_type(PATCH)[-1].inputs["spec"]["template"]["spec"]


def service(run: Run, given: Mapping[str, Any]) -> Any:
    engine = run(lambda: ConfigManagementPlugin("tool", TOOL | SERVICE | given))
    *_, made = (r for r in engine.of_type(DEPLOYMENT) if not r.resource_id)
    return made.inputs["spec"]["template"]["spec"]


def exported(run: Run, given: Mapping[str, Any], form: str = "kustomize") -> dict[str, Any]:
    files: dict[str, str] = {}

    def program() -> None:
        plugin = ConfigManagementPlugin("tool", TOOL | given | {"export": True})
        export = PluginExport("all", {"form": form, "plugins": [plugin.exported]})
        export.files.apply(files.update)

    run(program)
    return {name: yaml.safe_load(text) for name, text in files.items()}


def in_files(run: Run, given: Mapping[str, Any]) -> Any:
    return exported(run, given)["repo-server.yaml"]["spec"]["template"]["spec"]


EVERYWHERE = pytest.mark.parametrize("pod", [sidecar, service, in_files])
Pod = Callable[[Run, Mapping[str, Any]], Any]

FIELD: Any = {"fieldRef": {"fieldPath": "spec.nodeName"}}
KEY: Any = {"secretKeyRef": {"name": "git", "key": "token"}}


@EVERYWHERE
@pytest.mark.parametrize(
    ("given", "field", "expected"),
    [
        (
            {"ephemeral_storage_request": "1Gi", "ephemeral_storage_limit": "4Gi"},
            "resources",
            {
                "requests": {"cpu": "100m", "memory": "256Mi", "ephemeral-storage": "1Gi"},
                "limits": {"cpu": "2", "memory": "2Gi", "ephemeral-storage": "4Gi"},
            },
        ),
        (
            {"cpu_request": "4", "cpu_limit": "none"},
            "resources",
            {"requests": {"cpu": "4", "memory": "256Mi"}, "limits": {"memory": "2Gi"}},
        ),
        (
            {
                "env_value_from": {"NODE": FIELD, "B": KEY},
                "env": {"C": "1", "A": "$(C) $(D)", "D": "$(A) $(NODE)", "E": ""},
            },
            "env",
            [
                {"name": "HOME", "value": contract.HOME_DIR},
                {"name": "B", "valueFrom": KEY},
                {"name": "NODE", "valueFrom": FIELD},
                # Each after those that it refers to, as far as these do not refer to it.
                {"name": "C", "value": "1"},
                {"name": "D", "value": "$(A) $(NODE)"},
                {"name": "A", "value": "$(C) $(D)"},
                {"name": "E"},
            ],
        ),
    ],
)
def test_the_container_has_what_is_said_of_it(
    run: Run, pod: Pod, given: Any, field: str, expected: object
) -> None:
    assert pod(run, given)["containers"][0][field] == expected


@EVERYWHERE
def test_liveness_is_as_patient_as_it_is_told_to_be(run: Run, pod: Pod) -> None:
    given = {
        "liveness_period_seconds": 60,
        "liveness_timeout_seconds": 45,
        "liveness_failure_threshold": 5,
    }
    patient, usual = (pod(run, args)["containers"][0] for args in (given, {}))
    told = {"periodSeconds": 60, "timeoutSeconds": 45, "failureThreshold": 5}
    assert patient["livenessProbe"] == usual["livenessProbe"] | told
    assert patient["startupProbe"] == usual["startupProbe"], "how long a start may take is apart"


@EVERYWHERE
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, {"runAsUser": 999, "runAsGroup": 999}),
        ({"run_as_user": "1001"}, {"runAsUser": 1001, "runAsGroup": 1001}),
        ({"run_as_user": "1001", "run_as_group": "0"}, {"runAsUser": 1001, "runAsGroup": 0}),
        ({"run_as_user": "none"}, {}),
        ({"run_as_group": "none"}, {"runAsUser": 999}),
    ],
)
def test_every_container_runs_as_who_is_told_and_the_rest_is_the_cluster_s_choice(
    run: Run, pod: Pod, given: Any, expected: Mapping[str, int]
) -> None:
    spec = pod(run, given)
    for container in (*spec["containers"], *spec.get("initContainers", [])):
        context = container["securityContext"]
        assert {f: context[f] for f in ("runAsUser", "runAsGroup") if f in context} == expected
        assert context["runAsNonRoot"], "whoever it is"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, {"fsGroup": 999}),
        ({"run_as_user": "1001"}, {"fsGroup": 1001}),
        ({"run_as_user": "none"}, None),
        ({"fs_group": "5"}, {"fsGroup": 5}),
        ({"fs_group": "none"}, None),
    ],
)
def test_volumes_of_a_pod_of_its_own_belong_to_the_group_that_it_runs_as(
    run: Run, given: Any, expected: object
) -> None:
    assert service(run, given).get("securityContext") == expected


def test_the_proxy_beside_the_repo_server_runs_as_the_plugin_does(
    run: Run, engine: FakeEngine
) -> None:
    service(run, {"run_as_user": "none", "image_pull_secrets": ["registry"]})
    spec = engine.one(PATCH).inputs["spec"]["template"]["spec"]
    assert "runAsUser" not in spec["containers"][0]["securityContext"]
    assert spec["imagePullSecrets"] == [{"name": "registry"}]


class TestPullSecrets:
    @EVERYWHERE
    def test_are_the_pods(self, run: Run, pod: Pod) -> None:
        given = {"image_pull_secrets": ["registry", "other", "registry"]}
        assert pod(run, given)["imagePullSecrets"] == [{"name": "registry"}, {"name": "other"}]
        assert "imagePullSecrets" not in pod(run, {})

    def test_of_exported_plugins_are_named_once_each(self, run: Run) -> None:
        files: dict[str, str] = {}

        def program() -> None:
            given: Any = {"export": True, "image_pull_secrets": ["registry"]}
            one = ConfigManagementPlugin("one", TOOL | given)
            two = ConfigManagementPlugin("two", TOOL | given | {"version": "v2"})
            plugins = [one.exported, two.exported]
            PluginExport("all", {"form": "argo-helm", "plugins": plugins}).files.apply(files.update)

        run(program)
        values = yaml.safe_load(files["values.yaml"])
        assert values["repoServer"]["imagePullSecrets"] == [{"name": "registry"}]

    def test_are_refused_where_the_operator_would_undo_them(self, run: Run) -> None:
        with pytest.raises(InvalidInputError, match="name the Secret in the ServiceAccount"):
            exported(run, {"image_pull_secrets": ["registry"]}, "operator")


SECRETS: Any = {
    "existing_secrets": [
        {"name": "git", "env": {"GIT_TOKEN": "token"}, "files": {"netrc": "login"}},
        {"name": "cloud", "env": {"A_KEY": "token"}, "files": {"cloud.json": "key"}},
    ]
}


class TestExistingSecrets:
    @EVERYWHERE
    def test_give_their_keys_under_the_names_that_are_said(self, run: Run, pod: Pod) -> None:
        spec = pod(run, SECRETS)
        env = {e["name"]: e["valueFrom"] for e in spec["containers"][0]["env"] if "valueFrom" in e}
        assert env == {
            "A_KEY": {"secretKeyRef": {"name": "cloud", "key": "token"}},
            "GIT_TOKEN": {"secretKeyRef": {"name": "git", "key": "token"}},
        }
        (volume,) = (v for v in spec["volumes"] if v["name"] == "cmp-tool-v1-credentials")
        assert volume["projected"] == {
            "defaultMode": 0o444,
            "sources": [
                {"secret": {"name": "git", "items": [{"key": "login", "path": "netrc"}]}},
                {"secret": {"name": "cloud", "items": [{"key": "key", "path": "cloud.json"}]}},
            ],
        }
        mounts = {m["mountPath"]: m for m in spec["containers"][0]["volumeMounts"]}
        assert mounts[contract.CREDENTIALS_DIR]["readOnly"]

    def test_go_together_with_credentials_by_value(self, run: Run) -> None:
        spec = sidecar(run, SECRETS | {"credentials_env": {"TOKEN": "canary"}})
        names = [e["name"] for e in spec["containers"][0]["env"]]
        assert names == ["HOME", "A_KEY", "GIT_TOKEN", "TOKEN"]


@pytest.mark.parametrize(
    ("given", "field", "reason"),
    [
        ({"run_as_user": "0"}, "run_as_user", "root"),
        ({"run_as_user": "argocd"}, "run_as_user", "not the number"),
        ({"run_as_user": "-1"}, "run_as_user", "not the number"),
        ({"run_as_user": "0999"}, "run_as_user", "not the number"),
        ({"run_as_user": "4294967295"}, "run_as_user", "not the number"),
        ({"run_as_user": 1001}, "run_as_user", "must be a string"),
        ({"run_as_group": "None"}, "run_as_group", "not the number"),
        ({"cpu_limit": "None"}, "cpu_limit", "not a Kubernetes quantity"),
        ({"memory_limit": "none"}, "memory_limit", "not a Kubernetes quantity"),
        ({"ephemeral_storage_limit": "1"}, None, ""),
        (
            {"ephemeral_storage_request": "2Gi", "ephemeral_storage_limit": "1Gi"},
            "ephemeral_storage_request",
            "more than ephemeral_storage_limit",
        ),
        ({"liveness_timeout_seconds": 0}, "liveness_timeout_seconds", "at least 1"),
        ({"liveness_period_seconds": "20"}, "liveness_period_seconds", "whole number"),
        ({"liveness_failure_threshold": 1.5}, "liveness_failure_threshold", "whole number"),
        ({"image_pull_secrets": ["No_Name"]}, "image_pull_secrets", "not a valid object name"),
        ({"image_pull_secrets": [{"name": "registry"}]}, "image_pull_secrets", "holds an object"),
        ({"image_pull_secrets": "registry"}, "image_pull_secrets", "list of strings"),
        ({"env_value_from": ["NODE"]}, "env_value_from", "must map names"),
        ({"env_value_from": {"NODE": "x"}}, "env_value_from.NODE", "must be an object"),
        ({"env_value_from": {"NODE": {}}}, "env_value_from.NODE", "names no source"),
        ({"env_value_from": {"NODE": FIELD | KEY}}, "env_value_from.NODE", "more than one"),
        ({"env_value_from": {"A-B": FIELD}}, "env_value_from", "no shell could read"),
        ({"env_value_from": {"HOME": FIELD}}, "env_value_from", "writable home"),
        (
            {"env_value_from": {"A": FIELD}, "env": {"A": "1"}},
            "env_value_from",
            "sets A, which env",
        ),
        ({"existing_secrets": {"name": "a"}}, "existing_secrets", "must be a list"),
        ({"existing_secrets": ["a"]}, "existing_secrets[0]", "must be an object"),
        ({"existing_secrets": [{"name": "a"}]}, "existing_secrets[0]", "names no key"),
        (
            {"existing_secrets": [{"name": "a", "keys": {}}]},
            "existing_secrets[0].keys",
            "is not part of it",
        ),
        (
            {"existing_secrets": [{"env": {"A": "a"}}]},
            "existing_secrets[0].name",
            "is missing",
        ),
        (
            {"existing_secrets": [{"name": "a", "env": {"HOME": "a"}}]},
            "existing_secrets[0].env",
            "writable home",
        ),
        (
            {"existing_secrets": [{"name": "a", "env": {"A": "a/b"}}]},
            "existing_secrets[0].env",
            "cannot be a key",
        ),
        (
            {"existing_secrets": [{"name": "a", "files": {"../a": "a"}}]},
            "existing_secrets[0].files",
            "cannot be a key",
        ),
        (
            {"existing_secrets": [{"name": n, "env": {"A": "a"}} for n in ("a", "b")]},
            "existing_secrets[1].env",
            "another of existing_secrets",
        ),
        (
            {"existing_secrets": [{"name": n, "files": {"f": "a"}} for n in ("a", "b")]},
            "existing_secrets",
            "makes the file f of b, as one of a",
        ),
        (
            {"existing_secrets": [{"name": "a", "env": {"A": "a"}}], "credentials_env": {"A": "x"}},
            "existing_secrets[0].env",
            "the credentials set",
        ),
    ],
)
def test_what_would_not_work_is_refused_before_anything_is_patched(
    run: Run, engine: FakeEngine, given: Any, field: str | None, reason: str
) -> None:
    if field is None:
        assert sidecar(run, given)
        return
    with pytest.raises(InvalidInputError) as raised:
        sidecar(run, given)
    assert raised.value.field == field
    assert reason in raised.value.problem
    assert not engine.of_type(PATCH)


@pytest.mark.parametrize(
    ("given", "field", "reason"),
    [
        ({"affinity": []}, "affinity", "must be an object"),
        ({"topology_spread_constraints": {}}, "topology_spread_constraints", "must be a list"),
        (
            {"topology_spread_constraints": ["zone"]},
            "topology_spread_constraints[0]",
            "must be an object",
        ),
        ({"fs_group": "argocd"}, "fs_group", "not the number"),
    ],
)
def test_what_would_not_work_in_a_pod_of_its_own_is_refused(
    run: Run, given: Any, field: str, reason: str
) -> None:
    with pytest.raises(InvalidInputError) as raised:
        service(run, given)
    assert raised.value.field == field
    assert reason in raised.value.problem


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("run_as_user", "1001"),
        ("run_as_group", "0"),
        ("fs_group", "0"),
        ("ephemeral_storage_limit", "1Gi"),
        ("liveness_period_seconds", 5),
        ("image_pull_secrets", ["registry"]),
        ("env_value_from", {"NODE": FIELD}),
        ("existing_secrets", [{"name": "a", "env": {"A": "a"}}]),
        ("affinity", {"nodeAffinity": {}}),
        ("topology_spread_constraints", []),
    ],
)
def test_none_of_it_may_be_a_secret(run: Run, field: str, value: object) -> None:
    with pytest.raises(InvalidInputError, match=rf"{field} holds a Pulumi secret"):
        service(run, {field: pulumi.Output.secret(value)})


IN_IMAGE: Any = {
    "plugin_name": "tool",
    "version": "v1",
    "image": IMAGE,
    "plugin_yaml_in_image": True,
}


class TestAPluginYamlInTheImage:
    @pytest.mark.parametrize("mode", [{}, SERVICE], ids=["sidecar", "service"])
    def test_is_not_hidden_and_no_config_map_is_made_for_it(self, run: Run, mode: Any) -> None:
        names: list[str] = []

        def program() -> None:
            plugin = ConfigManagementPlugin("tool", IN_IMAGE | mode)
            plugin.plugin_name.apply(names.append)

        engine = run(program)
        assert names == ["tool-v1"]
        assert not [r for r in engine.of_type(CONFIG_MAP) if "plugin.yaml" in r.inputs["data"]]
        pods = [r.inputs["spec"]["template"]["spec"] for r in engine.of_type(PATCH)]
        pods += [
            r.inputs["spec"]["template"]["spec"]
            for r in engine.of_type(DEPLOYMENT)
            if not r.resource_id
        ]
        mounted = {
            m["mountPath"] for pod in pods for c in pod["containers"] for m in c["volumeMounts"]
        }
        assert contract.PLUGIN_CONFIG_DIR not in mounted
        volumes = {v["name"] for pod in pods for v in pod["volumes"]}
        assert "cmp-tool-v1-config" not in volumes

    @pytest.mark.parametrize("form", ["kustomize", "argo-helm", "operator"])
    def test_is_exported_without_an_empty_file(self, run: Run, form: str) -> None:
        given = {"generate_command": None, "plugin_yaml_in_image": True}
        files = exported(run, given, form)
        assert "config-maps.yaml" not in files
        assert None not in files.values()
        assert files.get("kustomization.yaml", {}).get("resources", []) == []

    def test_takes_no_right_to_make_config_maps(self) -> None:
        resources = {right.resource for right in needed_rights("argocd", IN_IMAGE)}
        assert "configmaps" not in resources
        assert "deployments" in resources

    @pytest.mark.parametrize(
        "field",
        sorted(PluginDefinitionArgs.__annotations__.keys() - PluginNameArgs.__annotations__.keys()),
    )
    def test_leaves_nothing_to_say_that_would_go_into_it(self, run: Run, field: str) -> None:
        with pytest.raises(InvalidInputError) as raised:
            run(lambda: ConfigManagementPlugin("tool", IN_IMAGE | {field: True}))
        assert raised.value.field == field
        assert "the image has its own" in raised.value.problem

    @pytest.mark.parametrize(
        ("changed", "field", "reason"),
        [
            ({"plugin_name": None}, "plugin_name", "is missing"),
            ({"plugin_name": "No"}, "plugin_name", "DNS label"),
            ({"version": "/"}, "version", "cannot be part"),
            ({"plugin_yaml_in_image": "yes"}, "plugin_yaml_in_image", "true or false"),
            ({"plugin_yaml_in_image": False}, "generate_command", "is missing"),
        ],
    )
    def test_has_to_be_told_by_its_name(
        self, run: Run, changed: Any, field: str, reason: str
    ) -> None:
        with pytest.raises(InvalidInputError) as raised:
            run(lambda: ConfigManagementPlugin("tool", IN_IMAGE | changed))
        assert raised.value.field == field
        assert reason in raised.value.problem

    def test_may_ask_for_git_credentials_itself(self, run: Run, engine: FakeEngine) -> None:
        engine.volumes.append("ask-pass")
        run(lambda: ConfigManagementPlugin("tool", IN_IMAGE | {"ask_pass_volume": "ask-pass"}))
        (container,) = engine.one(PATCH).inputs["spec"]["template"]["spec"]["containers"]
        assert "ask-pass" in {mount["name"] for mount in container["volumeMounts"]}


def repo_server(of_container: int | None, of_pod: int | None) -> Any:
    """The spec of the repo-server's pod, with the uids that it names."""
    other = {"name": "other", "securityContext": {"runAsUser": 5}}
    contexts = [{} if uid is None else {"runAsUser": uid} for uid in (of_container, of_pod)]
    container = {"name": "argocd-repo-server", "securityContext": contexts[0]}
    return {"containers": [other, container], "securityContext": contexts[1]}


class TestTheUidOfTheRepoServer:
    @pytest.mark.parametrize("mode", [{}, SERVICE], ids=["sidecar", "proxy"])
    def test_is_the_one_that_a_container_beside_it_has_to_have(
        self, run: Run, engine: FakeEngine, mode: Any
    ) -> None:
        engine.uid = 1001
        with pytest.raises(InvalidInputError, match="run_as_user is 999, but the repo-server runs"):
            sidecar(run, mode)
        assert not engine.of_type(PATCH)

    @pytest.mark.parametrize("mode", [{}, SERVICE], ids=["sidecar", "proxy"])
    def test_may_be_set_to_that(self, run: Run, engine: FakeEngine, mode: Any) -> None:
        engine.uid = 1001
        assert sidecar(run, mode | {"run_as_user": "1001"})

    @pytest.mark.parametrize(
        ("of_container", "of_pod"), [(None, None), (999, None), (999, 1001), (None, 999), (0, None)]
    )
    def test_may_be_the_same_or_root_or_unknown(
        self, of_container: int | None, of_pod: int | None
    ) -> None:
        same_user.refuse_other(repo_server(of_container, of_pod), SIDECAR.container())

    @pytest.mark.parametrize(("of_container", "of_pod"), [(1001, None), (None, 1001), (1001, 999)])
    def test_is_refused_where_it_could_not_connect(
        self, of_container: int | None, of_pod: int | None
    ) -> None:
        with pytest.raises(InvalidInputError, match="set it to 1001") as raised:
            same_user.refuse_other(repo_server(of_container, of_pod), SIDECAR.container())
        assert raised.value.field == "run_as_user"
