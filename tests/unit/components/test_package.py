"""The public surface: what programs in every language can write, pinned in a file."""

import inspect
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import grpc
import pulumi
import pytest
from pulumi.errors import InputPropertiesError
from pulumi.provider.experimental.analyzer import Analyzer
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc

import components
from components import CHOICES, COMPONENTS, NAME, VERSION
from components.catalog.renderer_plugin import RendererPlugin
from components.shared.provider import DescribedProvider

from .conftest import IMAGE, FakeEngine, Run

ROOT = Path(__file__).resolve().parents[3]
SCHEMA = Path(__file__).parent / "testdata" / "schema.json"


def surface() -> dict[str, Any]:
    """Return the names and types of all inputs and outputs, without their descriptions."""
    result = Analyzer(NAME).analyze(COMPONENTS)

    def shape(definition: Any) -> Any:
        parts = [
            str(definition.type.value if definition.type else definition.ref),
            *(["of", shape(definition.items)] if definition.items else []),
            *(
                ["of", shape(definition.additional_properties)]
                if definition.additional_properties
                else []
            ),
            *(["plain"] if definition.plain else []),
            *(["optional"] if definition.optional else []),
        ]
        return " ".join(parts)

    def shapes(properties: dict[str, Any]) -> dict[str, str]:
        return {name: shape(properties[name]) for name in sorted(properties)}

    return {
        "package": NAME,
        "version": VERSION,
        "components": {
            name: {"inputs": shapes(c.inputs), "outputs": shapes(c.outputs)}
            for name, c in sorted(result["component_definitions"].items())
        },
        "types": {
            name: shapes(t.properties) for name, t in sorted(result["type_definitions"].items())
        },
    }


def test_a_stack_imports_every_component_and_its_arguments_from_the_package_itself() -> None:
    names = {component.__name__ for component in COMPONENTS}
    others = {"CHOICES", "COMPONENTS", "NAME", "VERSION", "InstallerError", "InvalidInputError"}
    assert set(components.__all__) == names | {f"{name}Args" for name in names} | others


def test_the_public_surface_is_the_one_in_the_file() -> None:
    """When this fails on purpose: run this module as a script, and mention it in CHANGELOG.md."""
    assert surface() == json.loads(SCHEMA.read_text())


@pytest.fixture(scope="module")
def provider() -> DescribedProvider:
    return DescribedProvider(COMPONENTS, NAME, VERSION, CHOICES)


def test_only_what_has_one_of_a_few_values_is_offered_these(provider: DescribedProvider) -> None:
    resources = json.loads(provider.schema or "")["resources"]
    texts = {"type": "object", "additionalProperties": {"type": "string"}}
    for name in ("PluginApplication", "PluginApplicationSet"):
        offered = resources[f"{NAME}:index:{name}"]["inputProperties"]["annotations"]
        assert {key: offered.get(key) for key in texts} == texts
    offered = resources[f"{NAME}:index:KptPlugin"]["inputProperties"]["annotations"]
    assert offered["items"]["$ref"] == f"#/types/{NAME}:index:Annotations"


def test_everything_that_the_schema_names_is_described(provider: DescribedProvider) -> None:
    schema = json.loads(provider.schema or "")
    sections = {
        **{(token, "inputs"): r["inputProperties"] for token, r in schema["resources"].items()},
        **{(token, "outputs"): r["properties"] for token, r in schema["resources"].items()},
        **{(token, "type"): t.get("properties", {}) for token, t in schema["types"].items()},
    }
    assert [
        f"{name} of {token}"
        for (token, _), properties in sections.items()
        for name, known in properties.items()
        if not known.get("description")
    ] == []
    assert all(known["description"] for known in schema["resources"].values())


def test_a_wrong_input_is_told_by_the_name_that_the_schema_gives_it(
    provider: DescribedProvider, engine: FakeEngine
) -> None:
    given = {"image": IMAGE, "existingSecret": "token"}
    with pytest.raises(InputPropertiesError) as raised:
        provider.construct("pulumi", f"{NAME}:index:PulumiPlugin", given)
    told = raised.value.message
    assert raised.value.errors == [], "Pulumi would print the value, which may be a credential"
    assert told.startswith("existingSecretEnv and existingSecretFiles are both empty")
    assert "_" not in told
    assert "\n" not in told
    assert not engine.of_type("kubernetes:apps/v1:DeploymentPatch")


def test_a_choice_is_an_enum_of_the_values_that_are_accepted(provider: DescribedProvider) -> None:
    schema = json.loads(provider.schema or "")
    mode = schema["resources"][f"{NAME}:index:PulumiPlugin"]["inputProperties"]["mode"]
    assert mode["$ref"] == f"#/types/{NAME}:index:Mode"
    assert "type" not in mode
    enums = {token: t["enum"] for token, t in schema["types"].items() if "enum" in t}
    assert [choice["value"] for choice in enums[f"{NAME}:index:Mode"]] == ["sidecar", "service"]
    assert len(enums) == len(CHOICES)
    refs = re.findall(r'"\$ref": "#/types/([^"]+)"', provider.schema or "")
    assert enums.keys() <= set(refs), "a choice that no argument has"


@pytest.mark.parametrize(
    ("args", "path", "told"),
    [
        ({"volumes": [{"name": "a", "mountPth": "/a"}]}, "volumes[0].mountPth", "mountPath"),
        (
            {"volumes": [{"name": "a", "mountPath": "", "source": {"emptyDir": {}}}]},
            "volumes[0].mountPath",
            "is empty",
        ),
        ({"imag": "a"}, "imag", "did you mean image"),
        ({"await_rollout": True}, "await_rollout", "did you mean awaitRollout"),
    ],
)
def test_what_is_in_an_object_is_told_by_the_schema_s_name_too(
    provider: DescribedProvider, engine: FakeEngine, args: Any, path: str, told: str
) -> None:
    with pytest.raises(InputPropertiesError) as raised:
        provider.construct("pulumi", f"{NAME}:index:PulumiPlugin", {"image": IMAGE, **args})
    assert raised.value.message.startswith(f"{path} ")
    assert told in raised.value.message
    assert "_" not in raised.value.message.removeprefix(path)


def test_what_is_only_noticed_in_an_output_is_told_in_the_same_way(
    provider: DescribedProvider, run: Run
) -> None:
    """Pulumi shows other languages the name of any other exception's class."""
    source = {"pluginName": "a", "path": ".", "repoUrl": pulumi.Output.secret("https://x")}
    token = f"{NAME}:index:PluginApplication"
    with pytest.raises(InputPropertiesError) as raised:
        run(lambda: provider.construct("a", token, source) and None)
    assert raised.value.message.startswith("repoUrl holds a Pulumi secret")


def test_objects_and_numbers_may_be_outputs(provider: DescribedProvider, run: Run) -> None:
    volume = {"name": "a", "mountPath": "/a", "source": {"emptyDir": {}}}
    given = {
        "image": IMAGE,
        "volumes": [pulumi.Output.from_input(volume)],
        "concurrency": pulumi.Output.from_input(3.0),
    }
    engine = run(lambda: provider.construct("a", f"{NAME}:index:PulumiPlugin", given) and None)
    patch = engine.one("kubernetes:apps/v1:DeploymentPatch").inputs["spec"]["template"]["spec"]
    assert patch["volumes"][-1]["emptyDir"] == {}
    assert {"name": "RENDERER_CONCURRENCY", "value": "3"} in patch["containers"][0]["env"]


@pytest.mark.parametrize("component", COMPONENTS, ids=lambda c: c.__name__)
def test_every_component_has_the_token_of_its_name(component: Any) -> None:
    source = "".join(Path(inspect.getfile(c)).read_text() for c in component.__mro__[:2])
    of_class = f'f"{NAME}:index:{{kind}}"' if issubclass(component, RendererPlugin) else None
    assert (of_class or f'"{NAME}:index:{component.__name__}"') in source


def test_the_components_are_served_to_programs_in_other_languages(tmp_path: Path) -> None:
    """As Pulumi starts it: the folder as the program, from whatever folder it happens to be in."""
    with subprocess.Popen(
        [sys.executable, str(ROOT / "components"), "127.0.0.1:1"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    ) as server:
        try:
            assert server.stdout is not None
            with grpc.insecure_channel(f"127.0.0.1:{server.stdout.readline().strip()}") as channel:
                stub = provider_pb2_grpc.ResourceProviderStub(channel)
                request = provider_pb2.GetSchemaRequest()
                schema = json.loads(stub.GetSchema(request, timeout=60).schema)
        finally:
            server.kill()
    assert list(schema["resources"]) == [f"{NAME}:index:{c.__name__}" for c in COMPONENTS]


if __name__ == "__main__":
    SCHEMA.write_text(json.dumps(surface(), indent=2) + "\n")
