"""PluginExport: the same container and volumes as by a patch, as files for other installations."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
import yaml

from components.argocd.application import PluginApplication
from components.argocd.health import CHECKS, HealthCheck
from components.catalog.plugin import ConfigManagementPlugin
from components.catalog.pulumi import PulumiPlugin
from components.export import files
from components.export.export import PluginExport
from components.export.forms import CONTAINER_LABEL
from components.shared.errors import InvalidInputError

from .conftest import IMAGE, FakeEngine, Run, revealed

PATCH = "kubernetes:apps/v1:DeploymentPatch"
CONFIG_MAP = "kubernetes:core/v1:ConfigMap"
SCRIPT = "#!/bin/sh\nhelm template . --set 'x={{ .Values.y }}'\n"
TOOL: Any = {
    "plugin_name": "tool",
    "version": "v1",
    "generate_command": ["/opt/plugin/scripts/render.sh"],
    "scripts": {"render.sh": SCRIPT},
    "env": {"TEMPLATE": "{{ name }}", "SWITCH": "y"},
    "existing_secret": "credentials",
    "existing_secret_env": ["TOKEN"],
    "image": IMAGE,
}
SERVICE: Any = {
    "mode": "service",
    "argocd_image": "quay.io/argoproj/argocd:v3.2.0",
    "certificates": "existing",
    "server_secret": "a",
    "client_secret": "b",
}


APPLICATION: Any = {
    "plugin_name": "tool-v1",
    "repo_url": "https://git.example.com/apps.git",
    "path": ".",
    "export": True,
}
KEY = "resource.customizations.health.pulumi.com_Stack"


def exported(
    run: Run, form: str, *plugins: Any, health_checks: Sequence[Any] = (), **given: Any
) -> tuple[dict[str, Any], FakeEngine]:
    """The files of plugins with these arguments and an Application, parsed; what was registered."""
    texts: dict[str, str] = {}

    def program() -> None:
        made = [
            ConfigManagementPlugin(f"p{i}", p | {"export": True}) for i, p in enumerate(plugins)
        ]
        checks = [
            HealthCheck(f"check-{i}", check | {"export": True})
            for i, check in enumerate(health_checks)
        ]
        export: Any = {
            "form": form,
            "plugins": [plugin.exported for plugin in made],
            "health_checks": [check.exported for check in checks],
            "applications": [PluginApplication("shop", APPLICATION).exported],
            **given,
        }
        PluginExport("all", export).files.apply(texts.update)

    engine = run(program)
    parsed = {name: [*yaml.safe_load_all(text)] for name, text in texts.items()}
    return {name: d[0] if len(d) == 1 else d for name, d in parsed.items()}, engine


def patched(run: Run, plugin: Any) -> Any:
    engine = run(lambda: ConfigManagementPlugin("patched", plugin))
    return engine.one(PATCH).inputs["spec"]["template"]["spec"]


def without_config_name(pod: Any) -> Any:
    """The pod with the generated names of its ConfigMaps left out."""
    text = json.dumps(pod)
    for volume in pod["volumes"]:
        if "configMap" in volume:
            text = text.replace(volume["configMap"]["name"], "generated")
    return json.loads(text)


class TestEveryForm:
    @pytest.mark.parametrize("form", ["kustomize", "argo-helm", "operator"])
    def test_registers_nothing_in_the_cluster(self, run: Run, form: str) -> None:
        _, engine = exported(run, form, TOOL, health_checks=[{"kind": "Stack"}])
        assert not [r for r in engine.resources if r.typ.startswith("kubernetes:")]

    @pytest.mark.parametrize("form", ["kustomize", "argo-helm", "operator"])
    def test_names_its_config_map_by_the_content(self, run: Run, form: str) -> None:
        one, _ = exported(run, form, TOOL)
        same, _ = exported(run, form, TOOL)
        other, _ = exported(run, form, TOOL | {"scripts": {"render.sh": "#!/bin/sh\n"}})
        assert one == same
        assert other != one

    @pytest.mark.parametrize("form", ["kustomize", "argo-helm", "operator"])
    def test_says_which_container_uses_a_config_map(self, run: Run, form: str) -> None:
        """Its name is another with each change, so that nothing else tells that it is left over."""
        files, _ = exported(run, form, TOOL, TOOL | {"version": "v2"})
        made = files.get("config-maps.yaml") or files["values.yaml"]["extraObjects"]
        labels = [config_map["metadata"]["labels"] for config_map in made]
        assert labels == [{CONTAINER_LABEL: "cmp-tool-v1"}, {CONTAINER_LABEL: "cmp-tool-v2"}]

    @pytest.mark.parametrize("form", ["kustomize", "argo-helm", "operator"])
    def test_has_applications_as_a_file_for_after_the_roll_out(self, run: Run, form: str) -> None:
        files, _ = exported(run, form, TOOL)
        application = files["applications.yaml"]
        assert application["metadata"] == {"name": "shop", "namespace": "argocd"}
        engine = run(lambda: PluginApplication("shop", APPLICATION | {"export": False}))
        registered = engine.one("kubernetes:argoproj.io/v1alpha1:Application").inputs
        assert application["spec"] == registered["spec"]
        assert application["kind"] == registered["kind"]

    def test_refuses_what_was_not_told_to_export(self, run: Run) -> None:
        def program() -> None:
            tool = ConfigManagementPlugin("tool", TOOL | {"export": True})
            check = HealthCheck("check", {"kind": "Stack"})
            args: Any = {"form": "operator", "plugins": [tool.exported]}
            PluginExport("all", args | {"health_checks": [check.exported]})

        with pytest.raises(InvalidInputError, match=r"health_checks\[0\] holds nothing"):
            run(program)

    def test_refuses_two_plugins_of_the_same_name(self, run: Run) -> None:
        with pytest.raises(InvalidInputError, match="cmp-tool-v1 twice"):
            exported(run, "kustomize", TOOL, TOOL)

    def test_refuses_two_proxies_on_one_port(self, run: Run) -> None:
        """All containers of a pod have one address: the second could not start."""
        other = TOOL | SERVICE | {"version": "v2"}
        with pytest.raises(InvalidInputError) as raised:
            exported(run, "kustomize", TOOL | SERVICE, other)
        assert raised.value.where == "PluginExport all"
        assert raised.value.field == "plugins[1].proxy_metrics_port"
        assert "is 8405, on which container cmp-tool-v1-proxy" in raised.value.problem
        assert "set another one" in raised.value.fix

        with_port = other | {"proxy_metrics_port": 8406}
        files, _ = exported(run, "kustomize", TOOL | SERVICE, with_port)
        pod = files["repo-server.yaml"]["spec"]["template"]["spec"]
        ports = [port["containerPort"] for c in pod["containers"] for port in c["ports"]]
        assert ports == [8405, 8406]

    def test_refuses_a_plugin_that_was_not_told_to_export(self, run: Run) -> None:
        def program() -> None:
            plugin = PulumiPlugin("pulumi", {"image": IMAGE})
            PluginExport("all", {"form": "kustomize", "plugins": [plugin.exported]})

        with pytest.raises(InvalidInputError, match=r"plugins\[0\] holds nothing"):
            run(program)

    def test_refuses_credentials_by_value(self, run: Run) -> None:
        args = {key: value for key, value in TOOL.items() if not key.startswith("existing")}
        with pytest.raises(InvalidInputError, match="set existing_secret"):
            exported(run, "kustomize", args | {"credentials_env": {"TOKEN": "canary"}})

    def test_takes_credentials_by_value_where_it_is_the_proxy_alone(self, run: Run) -> None:
        args = {key: value for key, value in TOOL.items() if not key.startswith("existing")}
        given = args | SERVICE | {"credentials_env": {"CANARY": "canary"}}
        files, engine = exported(run, "kustomize", given)
        assert "canary" not in str(files).lower()
        secret = engine.one("kubernetes:core/v1:Secret").inputs
        assert revealed(secret["stringData"]) == {"CANARY": "canary"}

    @pytest.mark.parametrize(
        ("given", "reason"),
        [
            ({"form": "helm"}, "use one of kustomize, argo-helm, operator"),
            ({"form": "kustomize", "plugins": []}, "list the plugins"),
            ({"form": "kustomize", "plugins": [{}]}, "holds nothing"),
        ],
    )
    def test_refuses_what_makes_no_files(self, run: Run, given: Any, reason: str) -> None:
        with pytest.raises(InvalidInputError, match=reason):
            args: Any = {"plugins": [{"containers": [{}]}], **given}
            run(lambda: PluginExport("all", args))


class TestKustomize:
    def test_patches_the_very_pod_of_a_deployment_patch(self, run: Run) -> None:
        files, _ = exported(run, "kustomize", TOOL, deployment="cd-repo-server")
        component, patch = files["kustomization.yaml"], files["repo-server.yaml"]
        assert component["kind"] == "Component"
        assert set(component["resources"]) | {p["path"] for p in component["patches"]} == (
            files.keys() - {"kustomization.yaml", "applications.yaml"}
        )
        assert patch["metadata"] == {"name": "cd-repo-server"}
        pod = patch["spec"]["template"]["spec"]
        assert without_config_name(pod) == without_config_name(patched(run, TOOL))
        used = {v["configMap"]["name"] for v in pod["volumes"] if "configMap" in v}
        assert used == {files["config-maps.yaml"]["metadata"]["name"]}

    def test_patches_the_settings_that_hold_health_checks(self, run: Run) -> None:
        checks = [{"kind": "Stack"}, {"kind": "ManifestWork"}]
        files, _ = exported(run, "kustomize", TOOL, health_checks=checks)
        patch = files["settings-argocd-cm.yaml"]
        assert (patch["kind"], patch["metadata"]) == ("ConfigMap", {"name": "argocd-cm"})
        scripts = {
            f"resource.customizations.health.{p.stem}": p.read_text() for p in CHECKS.values()
        }
        assert patch["data"] == scripts

    def test_brings_the_proxy_of_service_mode_and_leaves_the_rest_to_pulumi(self, run: Run) -> None:
        files, engine = exported(run, "kustomize", TOOL | SERVICE)
        pod = files["repo-server.yaml"]["spec"]["template"]["spec"]
        assert [c["name"] for c in pod["containers"]] == ["cmp-tool-v1-proxy"]
        assert "haproxy.cfg" in files["config-maps.yaml"]["data"]
        assert not engine.of_type(PATCH)
        assert engine.of_type("kubernetes:core/v1:Service")


class TestArgoHelm:
    def test_has_all_plugins_in_one_file_of_values(self, run: Run) -> None:
        files, _ = exported(run, "argo-helm", TOOL, TOOL | {"version": "v2"})
        values = files["values.yaml"]
        names = [c["name"] for c in values["repoServer"]["extraContainers"]]
        assert names == ["cmp-tool-v1", "cmp-tool-v2"]
        assert len(values["extraObjects"]) == 2

    def test_adds_health_checks_to_the_settings_of_the_chart(self, run: Run) -> None:
        files, _ = exported(run, "argo-helm", TOOL, health_checks=[{"kind": "Stack"}])
        assert files["values.yaml"]["configs"] == {"cm": {KEY: CHECKS["Stack"].read_text()}}

    def test_escapes_what_the_chart_takes_for_a_template(self, run: Run) -> None:
        files, _ = exported(run, "argo-helm", TOOL)
        values = files["values.yaml"]
        script = values["extraObjects"][0]["data"]["render.sh"]
        assert script.replace("{{ `{{` }}", "{{") == SCRIPT
        env = {e["name"]: e.get("value") for e in values["repoServer"]["extraContainers"][0]["env"]}
        assert env["TEMPLATE"] == "{{ `{{` }} name }}"


class TestOperator:
    def test_has_the_fields_of_the_repo_server(self, run: Run) -> None:
        files, _ = exported(run, "operator", TOOL)
        repo = files["argocd.yaml"]["spec"]["repo"]
        pod = {"containers": repo["sidecarContainers"], "volumes": repo["volumes"]}
        assert without_config_name(pod) == without_config_name(patched(run, TOOL))

    def test_has_health_checks_among_the_settings_of_its_own(self, run: Run) -> None:
        files, _ = exported(run, "operator", TOOL, health_checks=[{"kind": "Stack"}])
        assert files["argocd.yaml"]["spec"]["extraConfig"] == {KEY: CHECKS["Stack"].read_text()}


class TestWritingTheFiles:
    def test_writes_what_the_stack_outputs(self, tmp_path: Any) -> None:
        folder = tmp_path / "plugins" / "pulumi"
        assert files.main([str(folder)], json.dumps({"values.yaml": "a: b\n"})) == 0
        assert (folder / "values.yaml").read_text() == "a: b\n"

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "[]",
            "{}",
            '{"a": 1}',
            '{"../a": "b"}',
            '{"/etc/a": "b"}',
            '{"..": "b"}',
            '{"": "b"}',
        ],
    )
    def test_writes_nothing_else(self, text: str, tmp_path: Any, capsys: Any) -> None:
        assert files.main([str(tmp_path / "out")], text) == 2
        assert not (tmp_path / "out").exists()
        assert "pulumi stack output files --json" in capsys.readouterr().err

    def test_explains_itself(self, capsys: Any) -> None:
        assert files.main(["--help"], "") == 0
        assert "FOLDER" in capsys.readouterr().out


def test_an_unknown_argument_is_refused(run: Run) -> None:
    args: Any = {"form": "kustomize", "plugins": [], "deploymnet": "x"}
    with pytest.raises(InvalidInputError, match="did you mean deployment"):
        run(lambda: PluginExport("all", args))
