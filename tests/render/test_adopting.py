"""A program and the state that `pulumi up` has left: names, plan, and what becomes of both."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from plugin_image.contract import SHORTEST_RANDOM_KEY, RendererEnv
from plugin_image.renderer.errors import UsageError
from plugin_image.renderer.pulumi import adopt, adoption_report, commands, live_names
from plugin_image.renderer.pulumi.adopt import Adoption
from plugin_image.renderer.pulumi.monitor.run_context import LiveName
from plugin_image.renderer.pulumi.options import Options
from plugin_image.renderer.pulumi.project import load_project
from plugin_image.renderer.pulumi.renderer import PULUMI
from tests.asking import objects, request

HEADER = "import pulumi\nimport pulumi_kubernetes as k8s\n"
CONFIG_MAP = "kubernetes:core/v1:ConfigMap"
OPTIONS = Options(stack="dev")

SETTINGS = 'k8s.core.v1.ConfigMap("settings", data={"colour": "red"})\n'
WEB = (
    'k8s.core.v1.Service("web", metadata={"annotations": {"s": settings.metadata.name}}, spec={})\n'
)
NAMED = 'k8s.core.v1.ConfigMap("named", metadata={"name": "named"}, data={})\n'


def resource(type_: str, name: str, **fields: Any) -> dict[str, Any]:
    live = fields.pop("live", f"{name}-1f2e3d4c")
    metadata = {"name": live, "namespace": "default", **fields.pop("metadata", {})}
    kind = type_.rpartition(":")[2]
    inputs = {"apiVersion": "v1", "kind": kind, "metadata": metadata, **fields}
    urn = f"urn:pulumi:dev::case::{type_}::{name}"
    given = {"urn": urn, "type": type_, "custom": True, "id": f"default/{live}"}
    return {**given, "inputs": inputs}


STATE = (
    resource(CONFIG_MAP, "settings", data={"colour": "red"}),
    resource(
        "kubernetes:core/v1:Service", "web", metadata={"annotations": {"s": "settings-1f2e3d4c"}}
    ),
    resource(CONFIG_MAP, "named", live="named", data={}),
)


class Case:
    """A program in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "case"
        self.folder.mkdir()
        (self.folder / "Pulumi.yaml").write_text("name: case\nruntime: python\n")
        (self.folder / "Pulumi.dev.yaml").write_text("config: {}\n")
        self._cache = folder / "cache"

    def program(self, *lines: str) -> None:
        (self.folder / "__main__.py").write_text(HEADER + "".join(lines))

    def adopt(self, *resources: dict[str, Any]) -> Adoption:
        text = json.dumps({"version": 3, "deployment": {"resources": resources or STATE}})
        found = adopt.adopt(request(self.folder, self._cache), OPTIONS, text)
        adopt.write_names(found)
        return found

    def rendered(self) -> list[str]:
        found = objects(PULUMI, request(self.folder, self._cache), OPTIONS)
        return sorted(object_["metadata"]["name"] for object_ in found)

    def verdicts(self, found: Adoption) -> dict[str, str]:
        return {s.manifest["metadata"]["name"]: s.verdict for s in found.plan.steps}


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return Case(tmp_path)


def test_adopted_objects_render_under_their_names_until_they_would_be_replaced(case: Case) -> None:
    case.program(f"settings = {SETTINGS}", WEB, NAMED)
    found = case.adopt()
    assert case.verdicts(found).keys() == {"named", "settings-1f2e3d4c", "web-1f2e3d4c"}
    assert "create" not in case.verdicts(found).values()
    assert case.rendered() == ["named", "settings-1f2e3d4c", "web-1f2e3d4c"]
    assert not adopt.write_names(case.adopt()), "again, it is the same"
    case.program(f"settings = {SETTINGS}".replace("red", "blue"), WEB, NAMED)
    named, settings, web = case.rendered()
    assert (named, web) == ("named", "web-1f2e3d4c")
    assert settings.startswith("settings-")
    assert settings != "settings-1f2e3d4c"


def test_an_object_that_has_changed_since_is_made_anew_and_what_refers_to_it_changes(
    case: Case,
) -> None:
    case.program(f"settings = {SETTINGS}".replace("red", "blue"), WEB, NAMED)
    found = case.adopt()
    verdicts = case.verdicts(found)
    (settings,) = (name for name, verdict in verdicts.items() if verdict == "create")
    assert settings.startswith("settings-")
    assert verdicts["web-1f2e3d4c"] == "change"
    assert [r.name for r in found.plan.unrendered] == ["settings-1f2e3d4c"]
    assert case.rendered() == ["named", settings, "web-1f2e3d4c"]


def test_an_object_that_has_changed_only_in_what_is_ignored_is_not_made_anew(case: Case) -> None:
    containers = [{"name": "m", "image": "m:1"}]
    path = "spec.template.spec.containers[0].image"
    case.program(
        'k8s.core.v1.ConfigMap("settings", data={"a": "2", "b": "1"},\n',
        '    opts=pulumi.ResourceOptions(ignore_changes=["data.a"]))\n',
        'k8s.batch.v1.Job("migrate", spec={"template": {"spec": {"restartPolicy": "Never",\n',
        '    "containers": [{"name": "m", "image": "m:2"}]}}},\n',
        f"    opts=pulumi.ResourceOptions(ignore_changes=[{path!r}]))\n",
    )
    spec = {"template": {"spec": {"restartPolicy": "Never", "containers": containers}}}
    found = case.adopt(
        resource(CONFIG_MAP, "settings", data={"a": "1", "b": "1"}),
        resource("kubernetes:batch/v1:Job", "migrate", apiVersion="batch/v1", spec=spec),
    )
    assert case.rendered() == ["migrate-1f2e3d4c", "settings-1f2e3d4c"]
    assert "create" not in case.verdicts(found).values()
    assert not found.plan.unrendered


def test_a_renamed_object_is_adopted_under_its_new_key(case: Case) -> None:
    aliased = 'opts=pulumi.ResourceOptions(aliases=[pulumi.Alias(name="settings")]))'
    case.program(
        "settings = ", SETTINGS.replace('"settings"', '"colours"').strip()[:-1], f", {aliased}\n"
    )
    found = case.adopt()
    assert case.verdicts(found) == {"settings-1f2e3d4c": "change"}
    assert found.names.keys() == {f"{CONFIG_MAP}::colours"}
    case.program("settings = ", SETTINGS.replace('"settings"', '"colours"'))
    assert case.rendered() == ["settings-1f2e3d4c"], "the alias may go, as with Pulumi"


def test_names_of_others_in_the_file_are_kept(case: Case) -> None:
    other = 'k8s.core.v1.Service("other", spec={})\n'
    case.program(SETTINGS, other)
    project = load_project(case.folder)
    found = case.adopt()
    key = "kubernetes:core/v1:Service::other"
    file = live_names.path(project, found.stack)
    file.write_text(live_names.text(found.stack, {**found.names, key: LiveName("other-x")}))
    assert case.adopt().names == {**found.names, key: LiveName("other-x")}


def test_a_state_without_objects_is_refused(case: Case) -> None:
    case.program(SETTINGS)
    provider = resource("pulumi:providers:kubernetes", "default")
    with pytest.raises(UsageError, match="no Kubernetes objects"):
        case.adopt(provider)


def test_a_stack_whose_renders_give_the_names_needs_no_file(case: Case) -> None:
    case.program(NAMED)
    found = case.adopt(STATE[2])
    assert not found.names
    assert not found.file.exists()
    lines = adoption_report.lines(found, "default", written=False)
    assert any("no names file is needed" in line for line in lines)


def test_values_that_a_key_makes_anew_are_told(case: Case, tmp_path: Path) -> None:
    type_ = "random:index/randomString:RandomString"
    case.program(
        f"settings = {SETTINGS}", f'pulumi.CustomResource("{type_}", "a", {{"length": 9}})'
    )
    drawn = {**resource(type_, "a"), "id": "drawnonce", "inputs": {"length": 9}}
    text = json.dumps({"version": 3, "deployment": {"resources": [*STATE, drawn]}})
    env = {RendererEnv.RANDOM_KEY.value: "k" * SHORTEST_RANDOM_KEY}
    asked = request(case.folder, tmp_path / "cache", env=env)
    found = adopt.adopt(asked, replace(OPTIONS, keyed_random=True), text)
    told = "\n".join(adoption_report.lines(found, "team", written=False))
    assert f"encrypted:\n  {type_}::a\n" in told
    assert "drawnonce" not in told


def test_the_command_asks_for_what_an_application_has() -> None:
    shown = CliRunner().invoke(commands.pulumi, ["adopt", "--help"]).output
    for option in ("--state", "--stack", "--namespace", "--provider", "--ignore-foreign"):
        assert option in shown
    assert "--check" not in shown
    assert "--mode" not in shown
