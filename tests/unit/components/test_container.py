"""The sidecar container: hardened, bounded, and next to other plugins without meeting them."""

from dataclasses import replace
from typing import Any

import pytest

from components.container import container
from components.container.container import PluginContainer, Settings
from components.container.probes import Probes
from components.container.resources import Resources
from components.container.secret_keys import SecretKeys
from components.shared.errors import InvalidInputError
from plugin_image import contract

SETTINGS = Settings(env={"B": "2", "A": "1"}, resources=Resources(tmp_size="1Gi", work_size="3Gi"))
SIDECAR = PluginContainer(
    plugin_name="tool-v1.0",
    image="registry.example.com/tool@sha256:00",
    config_map_name="tool-config-1a2b",
    script_names=["render.sh"],
    credentials=SecretKeys("tool-credentials-3c4d", {"TOKEN": "TOKEN"}, {"netrc": "netrc"}),
    settings=SETTINGS,
)
BARE = replace(SIDECAR, script_names=[], credentials=None)


def settled(**changes: Any) -> PluginContainer:
    """The container with other settings."""
    return replace(SIDECAR, settings=replace(SETTINGS, **changes))


def mounts(of: PluginContainer) -> dict[str, dict[str, Any]]:
    return {mount["mountPath"]: mount for mount in of.container()["volumeMounts"]}


def volumes(of: PluginContainer) -> dict[str, dict[str, Any]]:
    return {volume["name"]: volume for volume in of.volumes()}


def test_the_container_has_no_privilege_at_all() -> None:
    assert SIDECAR.container()["securityContext"] == {
        "runAsUser": 999,
        "runAsGroup": 999,
        "runAsNonRoot": True,
        "readOnlyRootFilesystem": True,
        "privileged": False,
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "seccompProfile": {"type": "RuntimeDefault"},
    }


def test_the_container_is_bounded_in_cpu_memory_and_disk() -> None:
    assert SIDECAR.container()["resources"] == {
        "requests": {"cpu": "100m", "memory": "256Mi"},
        "limits": {"cpu": "2", "memory": "2Gi"},
    }
    sizes = {
        name: volume["emptyDir"]["sizeLimit"]
        for name, volume in volumes(SIDECAR).items()
        if "emptyDir" in volume
    }
    assert sizes == {
        "cmp-tool-v1-0-tmp": "1Gi",
        "cmp-tool-v1-0-home": "3Gi",
        "cmp-tool-v1-0-cache": "3Gi",
    }


def test_only_the_socket_folder_and_its_own_empty_folders_are_writable() -> None:
    writable = {path for path, mount in mounts(SIDECAR).items() if not mount.get("readOnly")}
    assert writable == {
        contract.PLUGIN_SOCKET_DIR,
        "/tmp",
        contract.HOME_DIR,
        contract.CACHE_DIR,
    }


def test_no_credential_is_in_the_pod_template_only_its_key() -> None:
    env = {variable["name"]: variable for variable in SIDECAR.container()["env"]}
    assert env["TOKEN"] == {
        "name": "TOKEN",
        "valueFrom": {"secretKeyRef": {"name": "tool-credentials-3c4d", "key": "TOKEN"}},
    }
    assert volumes(SIDECAR)["cmp-tool-v1-0-credentials"]["secret"] == {
        "secretName": "tool-credentials-3c4d",
        "items": [{"key": "netrc", "path": "netrc"}],
        "defaultMode": 0o444,
    }
    assert mounts(SIDECAR)[contract.CREDENTIALS_DIR]["readOnly"]


def test_scripts_are_executable_and_plugin_yaml_is_not_among_them() -> None:
    scripts = volumes(SIDECAR)["cmp-tool-v1-0-scripts"]["configMap"]
    assert scripts["defaultMode"] == 0o555
    assert scripts["items"] == [{"key": "render.sh", "path": "render.sh"}]
    config = volumes(SIDECAR)["cmp-tool-v1-0-config"]["configMap"]
    assert config["items"] == [{"key": "plugin.yaml", "path": "plugin.yaml"}]


def test_what_a_plugin_does_not_need_is_not_mounted() -> None:
    assert contract.SCRIPTS_DIR not in mounts(BARE)
    assert contract.CREDENTIALS_DIR not in mounts(BARE)
    assert len(BARE.volumes()) == 4


def test_every_mounted_volume_is_declared_or_the_repo_servers() -> None:
    mounted = {mount["name"] for mount in SIDECAR.container()["volumeMounts"]}
    assert mounted == set(volumes(SIDECAR)) | {"var-files", "plugins"}


def test_the_image_s_init_comes_first_where_there_is_one() -> None:
    with_init = settled(entrypoint=["init", "--"])
    assert SIDECAR.container()["command"] == [contract.CMP_SERVER]
    assert with_init.container()["command"] == ["init", "--", contract.CMP_SERVER]


def test_what_hangs_is_not_given_the_pod_s_grace_period() -> None:
    assert SIDECAR.container()["livenessProbe"]["terminationGracePeriodSeconds"] == 5


def test_a_plugin_can_never_take_the_repo_server_out_of_service_by_readiness() -> None:
    assert "readinessProbe" not in SIDECAR.container()


def test_probes_test_the_socket_unless_the_plugin_has_something_better() -> None:
    socket = "/home/argocd/cmp-server/plugins/tool-v1.0.sock"
    for probe in ("startupProbe", "livenessProbe"):
        command = SIDECAR.container()[probe]["exec"]["command"]
        assert command == ["/bin/sh", "-c", f"test -S {socket}"]
    better = settled(probes=Probes(command=["tool", "probe"]))
    assert better.container()["livenessProbe"]["exec"]["command"] == ["tool", "probe"]


def test_an_empty_variable_is_stated_as_the_api_server_keeps_it() -> None:
    empty = settled(env={"EMPTY": ""})
    assert {"name": "EMPTY"} in empty.container()["env"]


def test_a_failed_start_shows_the_log_as_its_reason() -> None:
    assert SIDECAR.container()["terminationMessagePolicy"] == "FallbackToLogsOnError"


def test_two_versions_and_two_plugins_share_no_name() -> None:
    names: list[str] = []
    for plugin_name in ("tool-v1.0", "tool-v1.1", "other-v1.0"):
        plugin = replace(SIDECAR, plugin_name=plugin_name)
        names += [plugin.name, *volumes(plugin)]
    assert len(names) == len(set(names))


def test_every_name_is_short_enough_for_kubernetes() -> None:
    longest = "a" * 47
    plugin = replace(SIDECAR, plugin_name=longest)
    assert all(len(name) <= 63 for name in [plugin.name, *volumes(plugin)])
    with pytest.raises(InvalidInputError, match="shorten them by 1"):
        container.container_name(longest + "a")


def test_the_order_of_variables_never_depends_on_the_order_they_were_given_in() -> None:
    turned = settled(env={"A": "1", "B": "2"})
    assert turned.container() == SIDECAR.container()


@pytest.mark.parametrize("name", [*container.RESERVED_ENV, "1A", "A-B", "", "A=B"])
def test_reserved_and_impossible_variables_are_refused(name: str) -> None:
    with pytest.raises(InvalidInputError) as raised:
        container.check_env("env", [name])
    assert raised.value.field == "env"


def test_a_deployment_without_the_shared_volumes_is_refused_with_the_ones_it_has() -> None:
    expected = {"var_files_volume": "var-files", "plugins_volume": "plugins"}
    container.check_volumes("argocd/repo", ["plugins", "var-files"], expected)
    with pytest.raises(InvalidInputError) as raised:
        container.check_volumes("argocd/repo", ["plugins", "tmp"], expected)
    assert raised.value.field == "var_files_volume"
    assert "plugins, tmp" in raised.value.problem
    assert "in place of var-files" in raised.value.fix
