"""ManifestWorkPlugin: the installed plugin calls the renderer's commands for ManifestWorks."""

import pytest
import yaml
from click.testing import CliRunner

from components.catalog.manifest_work import ManifestWorkPlugin, ManifestWorkPluginArgs
from components.shared.errors import InvalidInputError
from plugin_image.renderer import cli

from .conftest import IMAGE, Run

CONFIG_MAP = "kubernetes:core/v1:ConfigMap"
PATCH = "kubernetes:apps/v1:DeploymentPatch"


def test_the_plugin_runs_commands_that_the_renderer_has(run: Run) -> None:
    engine = run(lambda: ManifestWorkPlugin("works", {"image": IMAGE, "discovery": True}))
    plugin = yaml.safe_load(engine.one(CONFIG_MAP).inputs["data"]["plugin.yaml"])
    assert plugin["metadata"]["name"] == "manifest-work"
    assert plugin["spec"] == {
        "version": "v1.0",
        "discover": {"fileName": ".manifest-work"},
        "generate": {"command": ["renderer", "manifest-work", "generate"]},
        "parameters": {"dynamic": {"command": ["renderer", "manifest-work", "parameters"]}},
    }
    for verb in ("discover", "generate", "parameters"):
        shown = CliRunner().invoke(cli.main, ["manifest-work", verb, "--help"])
        assert shown.exit_code == 0, shown.output


def test_the_plugin_is_probed_through_its_socket(run: Run) -> None:
    engine = run(lambda: ManifestWorkPlugin("works", {"image": IMAGE, "version": "v2"}))
    (container,) = engine.one(PATCH).inputs["spec"]["template"]["spec"]["containers"]
    socket = "/home/argocd/cmp-server/plugins/manifest-work-v2.sock"
    assert container["livenessProbe"]["exec"]["command"] == ["renderer", "probe", socket]


def test_an_argument_that_does_not_exist_is_refused(run: Run) -> None:
    with pytest.raises(InvalidInputError, match="clusters"):
        run(lambda: ManifestWorkPlugin("works", {"image": IMAGE, "clusters": ["a"]}))  # type: ignore[typeddict-unknown-key]


def test_wrapped_programs_see_the_variables_that_are_named(run: Run) -> None:
    args: ManifestWorkPluginArgs = {
        "image": IMAGE,
        "env": {"REGION": "north"},
        "pass_env": ["REGION"],
    }
    engine = run(lambda: ManifestWorkPlugin("works", args))
    (container,) = engine.one(PATCH).inputs["spec"]["template"]["spec"]["containers"]
    env = {variable["name"]: variable.get("value") for variable in container["env"]}
    assert env["RENDERER_PASS_ENV"] == "REGION"
