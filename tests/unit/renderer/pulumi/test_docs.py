"""What people read is what the renderer does: the docs name every option, the examples use them."""

import inspect
import json
from pathlib import Path
from typing import Any

import pulumi
import pytest
import yaml
from click.testing import CliRunner

from plugin_image import contract
from plugin_image.contract.option import Option
from plugin_image.renderer import cli, parameters
from plugin_image.renderer.commands import local_parameters
from plugin_image.renderer.pulumi import options
from plugin_image.renderer.pulumi.lifecycle import ENGINE_ANNOTATIONS
from plugin_image.renderer.pulumi.renderer import PULUMI

ROOT = Path(__file__).parents[4]
RENDERER = (ROOT / "docs" / "renderer.md").read_text()
CATALOGUE = (ROOT / "docs" / "catalogue.md").read_text()
EXAMPLES = ROOT / "examples"
APPLICATIONS = sorted((EXAMPLES / "applications").glob("*.yaml"))


def _camel_case(name: str) -> str:
    """The option as every other SDK calls it."""
    first, *rest = name.rstrip("_").split("_")
    return first + "".join("URL" if word == "url" else word.capitalize() for word in rest)


RESOURCE_OPTIONS = sorted(
    _camel_case(name)
    for name in inspect.signature(pulumi.ResourceOptions.__init__).parameters
    if name != "self"
)


def row_of(first_cell: str, section: str = "Options") -> list[str]:
    """The cells of the one table row in a section of docs/renderer.md that begins with this."""
    lines = RENDERER.partition(f"\n## {section}\n")[2].partition("\n## ")[0].splitlines()
    rows = [line for line in lines if line.startswith(f"| `{first_cell}` |")]
    assert len(rows) == 1, f"`{first_cell}` has {len(rows)} rows"
    return [cell.strip() for cell in rows[0].strip("|").split("|")]


@pytest.mark.parametrize("option", PULUMI.table, ids=lambda option: option.name)
def test_every_option_has_a_row_with_its_kind_and_env(option: Option) -> None:
    assert row_of(option.name)[1:3] == [f"`{option.kind.value}`", f"`{option.env}`"]


@pytest.mark.parametrize("option", PULUMI.table, ids=lambda option: option.name)
def test_every_option_has_a_row_with_a_flag_that_exists(option: Option) -> None:
    told = row_of(option.name)[3].strip("`").split()[:1]
    flags = {name for parameter in local_parameters(PULUMI) for name in parameter.opts}
    assert {*told} <= flags
    assert bool(told) == bool(option.flag)


@pytest.mark.parametrize("option", RESOURCE_OPTIONS)
def test_every_resource_option_of_the_sdk_has_a_row(option: str) -> None:
    assert row_of(option, "Resource options")[1]


@pytest.mark.parametrize("annotation", sorted(ENGINE_ANNOTATIONS))
def test_every_annotation_for_pulumis_provider_has_a_row(annotation: str) -> None:
    section = "Annotations for Pulumi's provider, large objects"
    assert row_of(annotation, section)[1]


@pytest.mark.parametrize("variable", contract.RendererEnv)
def test_every_variable_of_the_container_is_named(variable: contract.RendererEnv) -> None:
    assert f"`{variable.value}`" in RENDERER + CATALOGUE


def test_the_documented_defaults_are_the_real_ones() -> None:
    assert f"| {contract.DEFAULT_DEADLINE_SECONDS} |" in RENDERER
    assert f"| {contract.DEFAULT_CONCURRENCY} |" in RENDERER


def test_every_link_between_the_documents_leads_to_a_file() -> None:
    for page in (ROOT / "README.md", EXAMPLES / "README.md", *(ROOT / "docs").glob("*.md")):
        for target in _links(page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_there_is_an_application_for_every_example() -> None:
    examples = {path.name for path in EXAMPLES.glob("guestbook-*")}
    assert {path.stem for path in APPLICATIONS} == examples


@pytest.mark.parametrize(
    "path",
    [path for path in APPLICATIONS if (EXAMPLES / path.stem / "Pulumi.yaml").exists()],
    ids=lambda path: path.stem,
)
def test_an_application_names_the_plugin_a_program_and_options_that_exist(path: Path) -> None:
    source = yaml.safe_load(path.read_text())["spec"]["source"]
    assert source["plugin"]["name"] == "pulumi-v1.0"
    assert (ROOT / source["path"] / "Pulumi.yaml").is_file()
    options.of(parameters.read(_command_environment(source["plugin"]), PULUMI.table))


def test_the_help_of_the_local_command_has_examples() -> None:
    shown = CliRunner().invoke(cli.main, ["pulumi", "render", "--help"])
    assert shown.exit_code == 0
    assert "renderer pulumi render" in shown.output


def _links(text: str) -> set[str]:
    """The relative targets of Markdown links, without their anchors."""
    targets = {part.partition(")")[0].partition("#")[0] for part in text.split("](")[1:]}
    return {target for target in targets if target and "://" not in target}


def _command_environment(plugin: dict[str, Any]) -> dict[str, str]:
    """The environment that Argo CD gives to the plugin's command."""
    env = {f"ARGOCD_ENV_{entry['name']}": entry["value"] for entry in plugin.get("env", [])}
    return {"ARGOCD_APP_PARAMETERS": json.dumps(plugin.get("parameters")), **env}
