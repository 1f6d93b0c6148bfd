"""ConfigManagementPlugin and PulumiPlugin: the components, composed."""

import json
import re
from typing import Any

import pulumi
import pytest
import yaml

from components.catalog.mode import ModeArgs
from components.catalog.plugin import ConfigManagementPlugin
from components.catalog.pulumi import PulumiPlugin
from components.shared.errors import InvalidInputError
from plugin_image import contract

from .conftest import IMAGE, FakeEngine, Run

PATCH = "kubernetes:apps/v1:DeploymentPatch"
CONFIG_MAP = "kubernetes:core/v1:ConfigMap"
SECRET = "kubernetes:core/v1:Secret"


def container(engine: FakeEngine) -> Any:
    return engine.one(PATCH).inputs["spec"]["template"]["spec"]["containers"][0]


def environment(engine: FakeEngine) -> dict[str, str]:
    return {
        variable["name"]: variable["value"]
        for variable in container(engine)["env"]
        if "value" in variable
    }


def test_the_sidecar_runs_with_the_objects_made_for_it(run: Run) -> None:
    engine = run(
        lambda: ConfigManagementPlugin(
            "tool",
            {
                "plugin_name": "tool",
                "generate_command": ["/opt/plugin/scripts/render.sh"],
                "scripts": {"render.sh": "#!/bin/sh\n"},
                "image": IMAGE,
                "credentials_env": {"TOKEN": "canary"},
                "credentials_files": {"netrc": "canary"},
                "namespace": "gitops",
            },
        )
    )
    pod = engine.one(PATCH).inputs["spec"]["template"]["spec"]
    volumes = {volume["name"]: volume for volume in pod["volumes"]}
    assert volumes["cmp-tool-config"]["configMap"]["name"] == "tool-config-cmp-tool-1a2b3c4d"
    assert volumes["cmp-tool-scripts"]["configMap"]["name"] == "tool-config-cmp-tool-1a2b3c4d"
    assert volumes["cmp-tool-credentials"]["secret"]["secretName"] == "tool-credentials-1a2b3c4d"
    for typ in (PATCH, CONFIG_MAP, SECRET):
        assert engine.one(typ).inputs["metadata"]["namespace"] == "gitops"
    assert "canary" not in json.dumps(engine.one(PATCH).inputs)


MODELS: Any = {
    "name": "models",
    "mount_path": "/models",
    "source": {"persistentVolumeClaim": {"claimName": "models"}},
}
SCRATCH: Any = {
    "name": "scratch",
    "mount_path": "/scratch",
    "read_only": False,
    "source": {"emptyDir": {}},
}


class TestVolumesOfItsOwn:
    def tool(self, *volumes: Any) -> Any:
        args = {"plugin_name": "tool", "generate_command": ["a"], "image": IMAGE}
        return ConfigManagementPlugin("tool", args | {"volumes": list(volumes)})  # type: ignore[arg-type]

    def test_are_named_after_the_plugin_and_mounted_where_it_says(self, run: Run) -> None:
        engine = run(lambda: self.tool(MODELS, SCRATCH))
        pod = engine.one(PATCH).inputs["spec"]["template"]["spec"]
        assert pod["volumes"][-2:] == [
            {"name": "cmp-tool-models", "persistentVolumeClaim": {"claimName": "models"}},
            {"name": "cmp-tool-scratch", "emptyDir": {}},
        ]
        assert container(engine)["volumeMounts"][-2:] == [
            {"name": "cmp-tool-models", "mountPath": "/models", "readOnly": True},
            {"name": "cmp-tool-scratch", "mountPath": "/scratch"},
        ]

    @pytest.mark.parametrize(
        ("changed", "field"),
        [
            ({"name": "tmp"}, "volumes[0].name"),
            ({"name": "No"}, "volumes[0].name"),
            ({"name": "n" * 60}, "volumes[0].name"),
            ({"mount_path": "models"}, "volumes[0].mount_path"),
            ({"mount_path": "/a/../b"}, "volumes[0].mount_path"),
            ({"mount_path": "/tmp"}, "volumes[0].mount_path"),
            ({"mount_path": "/var/run/argocd/"}, "volumes[0].mount_path"),
            ({"mount_path": "/home/argocd"}, "volumes[0].mount_path"),
            ({"mount_path": "/tmp/."}, "volumes[0].mount_path"),
            ({"mount_path": "//tmp"}, "volumes[0].mount_path"),
            ({"mount_path": "/var/run/argocd/x"}, "volumes[0].mount_path"),
            ({"mount_path": "/usr"}, "volumes[0].mount_path"),
            ({"mount_path": "/a:b"}, "volumes[0].mount_path"),
            ({"source": {"emptyDir": None}}, "volumes[0].source"),
            ({"source": {}}, "volumes[0].source"),
            ({"source": {"name": "a"}}, "volumes[0].source"),
            ({"source": {"emptyDir": {}, "secret": {}}}, "volumes[0].source"),
            ({"mountPath": "/a"}, "volumes[0]"),
        ],
    )
    def test_that_would_hide_others_or_say_nothing_are_refused(
        self, run: Run, changed: Any, field: str
    ) -> None:
        with pytest.raises(InvalidInputError, match=re.escape(field)):
            run(lambda: self.tool(MODELS | changed))

    def test_of_the_same_name_are_refused(self, run: Run) -> None:
        with pytest.raises(InvalidInputError, match="another volume of this plugin"):
            run(lambda: self.tool(MODELS, MODELS | {"mount_path": "/b"}))


def test_without_credentials_there_is_no_secret(run: Run) -> None:
    args: Any = {"plugin_name": "tool", "generate_command": ["a"], "image": IMAGE}
    assert not run(lambda: ConfigManagementPlugin("tool", args)).of_type(SECRET)


def test_the_pulumi_plugin_runs_the_renderer_and_takes_only_apps_that_name_it(run: Run) -> None:
    engine = run(lambda: PulumiPlugin("pulumi", {"image": IMAGE}))
    plugin = yaml.safe_load(engine.one(CONFIG_MAP).inputs["data"]["plugin.yaml"])
    assert plugin["metadata"]["name"] == "pulumi"
    assert plugin["spec"] == {
        "version": "v1.0",
        "generate": {"command": ["renderer", "pulumi", "generate"]},
        "parameters": {"dynamic": {"command": ["renderer", "pulumi", "parameters"]}},
    }


def test_the_pulumi_plugin_sets_up_the_renderer_by_its_contract(run: Run) -> None:
    engine = run(
        lambda: PulumiPlugin(
            "pulumi",
            {
                "image": IMAGE,
                "deadline_seconds": 80,
                "concurrency": 4,
                "pass_env": ["GIT_TOKEN", "REGION"],
                "env": {"REGION": "north"},
            },
        )
    )
    assert environment(engine) == {
        "HOME": contract.HOME_DIR,
        "REGION": "north",
        "RENDERER_DEADLINE_SECONDS": "80",
        "RENDERER_CONCURRENCY": "4",
        "RENDERER_CACHE_DIR": contract.CACHE_DIR,
        "RENDERER_PASS_ENV": "GIT_TOKEN,REGION",
    }


@pytest.mark.parametrize(
    ("size", "expected"),
    [("2Gi", contract.DEFAULT_CACHE_BYTES), ("4G", 3 * 10**9), ("0.5Mi", 3 * 2**17), ("8", 6)],
)
def test_the_cache_makes_room_before_its_volume_is_full(run: Run, size: str, expected: int) -> None:
    env = environment(run(lambda: PulumiPlugin("pulumi", {"image": IMAGE, "work_size": size})))
    assert env["RENDERER_CACHE_BYTES"] == str(expected)


def test_by_default_programs_see_no_variable_and_our_deadline_is_the_shorter_one(run: Run) -> None:
    env = environment(run(lambda: PulumiPlugin("pulumi", {"image": IMAGE})))
    assert "RENDERER_PASS_ENV" not in env
    assert int(env["RENDERER_DEADLINE_SECONDS"]) < 60


def test_the_pulumi_plugin_is_probed_through_its_socket(run: Run) -> None:
    engine = run(lambda: PulumiPlugin("pulumi", {"image": IMAGE, "version": "v2"}))
    probe = ["renderer", "probe", "/home/argocd/cmp-server/plugins/pulumi-v2.sock"]
    assert container(engine)["livenessProbe"]["exec"]["command"] == probe
    assert container(engine)["startupProbe"]["exec"]["command"] == probe


def test_the_pulumi_plugin_runs_under_the_init_of_its_image(run: Run) -> None:
    engine = run(lambda: PulumiPlugin("pulumi", {"image": IMAGE}))
    assert container(engine)["command"] == ["tini", "--", contract.CMP_SERVER]


def test_two_versions_run_side_by_side(run: Run) -> None:
    names: list[str] = []

    def program() -> object:
        old = PulumiPlugin("old", {"image": IMAGE, "version": "v1.0"})
        new = PulumiPlugin("new", {"image": IMAGE, "version": "v1.1"})
        return pulumi.Output.all(old.plugin_name, new.plugin_name).apply(names.extend)

    patches = run(program).of_type(PATCH)
    assert names == ["pulumi-v1.0", "pulumi-v1.1"]
    containers = [p.inputs["spec"]["template"]["spec"]["containers"][0]["name"] for p in patches]
    assert sorted(containers) == ["cmp-pulumi-v1-0", "cmp-pulumi-v1-1"]


def test_discovery_is_an_option(run: Run) -> None:
    engine = run(lambda: PulumiPlugin("pulumi", {"image": IMAGE, "discovery": True}))
    plugin = yaml.safe_load(engine.one(CONFIG_MAP).inputs["data"]["plugin.yaml"])
    assert plugin["spec"]["discover"] == {"find": {"command": ["renderer", "pulumi", "discover"]}}


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"deadline_seconds": 0}, "deadline_seconds"),
        ({"deadline_seconds": "50"}, "deadline_seconds"),
        ({"concurrency": 1.5}, "concurrency"),
        ({"concurrency": True}, "concurrency"),
        ({"pass_env": "A"}, "pass_env"),
        ({"pass_env": ["A-B"]}, "pass_env"),
        ({"pass_env": ["RENDERER_RANDOM_KEY"]}, "pass_env"),
        ({"env": {"RENDERER_RANDOM_KEY": "a"}}, "env"),
        ({"env": {"RENDERER_CACHE_DIR": "/x"}}, "env"),
        ({"version": 1.0}, "version"),
        ({"discovery": "yes"}, "discovery"),
        ({"memory_limit": "lots"}, "memory_limit"),
        ({"memory_limit": "500m"}, "memory_limit"),
        ({"cpu_limit": "2Gi"}, "cpu_limit"),
        ({"cpu_request": "3"}, "cpu_request"),
        ({"memory_request": "3G"}, "memory_request"),
        ({"image": "Not An Image"}, "image"),
        ({"image": f"{IMAGE}\n"}, "image"),
        ({"image": "plugin"}, "image"),
        ({"namespace": "argocd\n"}, "namespace"),
        ({"env": {"PATH": "/bin"}}, "env"),
        ({"env": {"TMPDIR": "/var"}}, "env"),
        ({"env": {"ARGOCD_CMP_WORKDIR": "/var"}}, "env"),
        ({"plugin_name": "mine"}, "plugin_name"),
    ],
)
def test_bad_input_is_refused_before_anything_reaches_the_cluster(
    run: Run, engine: FakeEngine, given: Any, field: str
) -> None:
    args: Any = {"image": IMAGE} | given
    with pytest.raises(InvalidInputError) as raised:
        run(lambda: PulumiPlugin("pulumi", args))
    assert raised.value.field == field
    assert not engine.of_type(PATCH)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("entrypoint", ["tini"]),
        ("probe_command", ["true"]),
        ("cpu_limit", "2"),
        ("image", IMAGE),
        ("volumes", [{"name": "a", "mount_path": "/a", "source": {"emptyDir": {}}}]),
    ],
)
def test_a_secret_is_refused_in_every_argument_that_is_no_credential(
    run: Run, engine: FakeEngine, field: str, value: object
) -> None:
    def install() -> None:
        args: Any = {"image": IMAGE, field: pulumi.Output.secret(value)}
        PulumiPlugin("p", args)

    with pytest.raises(InvalidInputError, match=rf"{field} holds a Pulumi secret"):
        run(install)
    assert not engine.of_type(PATCH)


def test_whole_numbers_from_other_languages_arrive_as_floats(run: Run) -> None:
    args: Any = {"image": IMAGE, "concurrency": 3.0}
    assert environment(run(lambda: PulumiPlugin("p", args)))["RENDERER_CONCURRENCY"] == "3"


WITH_GIT_CREDS: Any = {
    "plugin_name": "tool",
    "generate_command": ["a"],
    "image": IMAGE,
    "provide_git_creds": True,
}


class TestGitCredentialsOfArgoCD:
    def test_plugin_yaml_asks_for_them_and_the_sidecar_reaches_the_socket(
        self, run: Run, engine: FakeEngine
    ) -> None:
        engine.volumes.append("ask-pass")
        run(
            lambda: ConfigManagementPlugin("tool", WITH_GIT_CREDS | {"ask_pass_volume": "ask-pass"})
        )
        plugin_yaml = yaml.safe_load(engine.one(CONFIG_MAP).inputs["data"]["plugin.yaml"])
        assert plugin_yaml["spec"]["provideGitCreds"] is True
        mount = {"name": "ask-pass", "mountPath": "/var/run/argocd-ask-pass", "readOnly": True}
        assert mount in container(engine)["volumeMounts"]
        volumes = engine.one(PATCH).inputs["spec"]["template"]["spec"]["volumes"]
        assert "ask-pass" not in {volume["name"] for volume in volumes}, "it is the repo-server's"

    def test_ssh_needs_no_socket(self, run: Run) -> None:
        mounts = container(run(lambda: ConfigManagementPlugin("tool", WITH_GIT_CREDS)))[
            "volumeMounts"
        ]
        assert "/var/run/argocd-ask-pass" not in {mount["mountPath"] for mount in mounts}

    @pytest.mark.parametrize(
        ("given", "field", "reason"),
        [
            ({"mode": "service"}, "provide_git_creds", "repo-server's own pod"),
            ({"ask_pass_volume": "none"}, "ask_pass_volume", "no volume of that name"),
            ({"ask_pass_volume": "No"}, "ask_pass_volume", "DNS label"),
            ({"ask_pass_volume": "tmp", "provide_git_creds": False}, "ask_pass_volume", "without"),
            ({"provide_git_creds": "yes"}, "provide_git_creds", "true or false"),
        ],
    )
    def test_are_refused_where_they_cannot_come(
        self, run: Run, engine: FakeEngine, given: Any, field: str, reason: str
    ) -> None:
        with pytest.raises(InvalidInputError) as raised:
            run(lambda: ConfigManagementPlugin("tool", WITH_GIT_CREDS | given))
        assert raised.value.field == field
        assert reason in raised.value.problem
        assert not engine.of_type(PATCH)


SERVICE_MODE: Any = {"image": IMAGE, "mode": "service"}
DEPLOYMENT = "kubernetes:apps/v1:Deployment"


def containers_of_repo_server(engine: FakeEngine) -> list[str]:
    patch = engine.one(PATCH).inputs["spec"]["template"]["spec"]
    return [container["name"] for container in patch["containers"]]


def own_pod(engine: FakeEngine) -> Any:
    (made,) = (r for r in engine.of_type(DEPLOYMENT) if not r.resource_id)
    return made.inputs["spec"]["template"]["spec"]


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"mode": "service", "max_replicas": 3},
        {"mode": "service", "certificates": "cert-manager"},
    ],
    ids=["sidecar", "service", "cert-manager"],
)
def test_no_object_of_a_version_is_replaced_by_one_of_the_next(run: Run, given: Any) -> None:
    """Back from a next version that fails, Pulumi would delete what it has just made again."""
    names: dict[tuple[str, str], set[str]] = {}
    for version in ("v1", "v2"):

        def program(version: str = version) -> None:
            PulumiPlugin("one", given | {"image": IMAGE, "version": version})

        # By the name in the cluster: what Pulumi names itself has another name each time.
        engine = run(program)
        for made in engine.resources:
            name = made.inputs.get("metadata", {}).get("name", "")
            names.setdefault((made.typ, made.name), set()).add(name)
        engine.resources.clear()
    assert all(len(named) == 1 for named in names.values()), names
    assert any(name.endswith("v2") for _, name in names)


class TestTheModes:
    def test_the_same_container_runs_in_both(self, run: Run) -> None:
        def program() -> None:
            PulumiPlugin("one", {"image": IMAGE, "version": "v1"})
            PulumiPlugin("two", SERVICE_MODE | {"version": "v1"})

        engine = run(program)
        patches = {r.name: r.inputs["spec"]["template"]["spec"] for r in engine.of_type(PATCH)}
        (sidecar,) = patches["one-sidecar-cmp-pulumi-v1"]["containers"]
        service = own_pod(engine)["containers"][0]
        assert service.pop("lifecycle")
        assert sidecar == service
        plugin_yamls = [
            r.inputs["data"]["plugin.yaml"]
            for r in engine.of_type(CONFIG_MAP)
            if "plugin.yaml" in r.inputs["data"]
        ]
        assert plugin_yamls[0] == plugin_yamls[1]

    def test_in_service_mode_only_a_proxy_is_next_to_the_repo_server(self, run: Run) -> None:
        engine = run(lambda: PulumiPlugin("pulumi", SERVICE_MODE))
        assert containers_of_repo_server(engine) == ["cmp-pulumi-v1-0-proxy"]
        names = [c["name"] for c in own_pod(engine)["containers"]]
        assert names == ["cmp-pulumi-v1-0", "proxy"]

    @pytest.mark.parametrize("field", sorted(ModeArgs.__annotations__.keys() - {"mode"}))
    def test_an_option_of_service_mode_is_refused_where_nothing_reads_it(
        self, run: Run, engine: FakeEngine, field: str
    ) -> None:
        args: Any = {"image": IMAGE, field: "many"}
        with pytest.raises(InvalidInputError) as raised:
            run(lambda: PulumiPlugin("pulumi", args))
        assert raised.value.field == field
        assert not engine.of_type(PATCH)

    @pytest.mark.parametrize("field", ["max_pods", "proxy_metrics_port", "plugins_volume"])
    def test_an_option_of_the_proxy_is_refused_where_another_one_serves_the_plugin(
        self, run: Run, field: str
    ) -> None:
        args: Any = SERVICE_MODE | {"own_proxy": False, field: "many"}
        with pytest.raises(InvalidInputError, match=rf"{field} is for the proxy"):
            run(lambda: PulumiPlugin("pulumi", args))

    def test_names_of_the_repo_servers_volumes_are_not_those_of_its_own_pods(
        self, run: Run, engine: FakeEngine
    ) -> None:
        engine.volumes = ["sockets", "files"]
        names = {"plugins_volume": "sockets", "var_files_volume": "files"}
        run(lambda: PulumiPlugin("pulumi", SERVICE_MODE | names))
        proxy = engine.one(PATCH).inputs["spec"]["template"]["spec"]["containers"][0]
        assert "sockets" in {mount["name"] for mount in proxy["volumeMounts"]}
        own = {volume["name"] for volume in own_pod(engine)["volumes"]}
        assert {"plugins", "var-files"} < own

    def test_outputs_tell_the_mode_and_what_a_common_proxy_needs(self, run: Run) -> None:
        seen: list[Any] = []

        def program() -> None:
            plugin = PulumiPlugin("pulumi", SERVICE_MODE | {"own_proxy": False, "version": "v2"})
            names = ("plugin_name", "version", "mode", "service_host", "client_secret_name")
            outputs = [getattr(plugin, name) for name in (*names, "container_name")]
            pulumi.Output.all(*outputs).apply(seen.extend)

        assert not run(program).of_type(PATCH)
        host, secret = "cmp-pulumi-v2.argocd.svc", "cmp-pulumi-v2-client-tls"
        assert seen == ["pulumi-v2", "v2", "service", host, secret, ""]

    @pytest.mark.parametrize(
        ("given", "field"),
        [
            ({"mode": "deployment"}, "mode"),
            ({"own_proxy": "no"}, "own_proxy"),
            ({"certificates": "none"}, "certificates"),
            ({"replicas": -1}, "replicas"),
        ],
    )
    def test_bad_input_of_service_mode_is_refused(
        self, run: Run, engine: FakeEngine, given: Any, field: str
    ) -> None:
        with pytest.raises(InvalidInputError) as raised:
            run(lambda: PulumiPlugin("pulumi", SERVICE_MODE | given))
        assert raised.value.field == field
        assert not engine.of_type(PATCH)
