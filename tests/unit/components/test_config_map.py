"""PluginConfig: an immutable ConfigMap with a generated name, without secrets."""

from typing import Any

import pulumi
import pytest
import yaml

from components.container.config_map import PluginConfig
from components.shared.errors import InvalidInputError

from .conftest import Run

CONFIG_MAP = "kubernetes:core/v1:ConfigMap"
MINIMAL: Any = {"plugin_name": "tool", "version": "v1", "generate_command": ["./render.sh"]}


def test_the_config_map_is_immutable_and_named_by_pulumi(run: Run) -> None:
    engine = run(lambda: PluginConfig("tool", MINIMAL))
    config_map = engine.one(CONFIG_MAP).inputs
    assert config_map["immutable"] is True
    assert config_map["metadata"]["namespace"] == "argocd"
    assert "name" not in config_map["metadata"]


def test_definition_and_scripts_are_in_it(run: Run) -> None:
    engine = run(lambda: PluginConfig("tool", MINIMAL | {"scripts": {"render.sh": "#!/bin/sh\n"}}))
    data = engine.one(CONFIG_MAP).inputs["data"]
    assert yaml.safe_load(data.pop("plugin.yaml"))["metadata"] == {"name": "tool"}
    assert data == {"render.sh": "#!/bin/sh\n"}


def test_it_outputs_the_exact_plugin_name_and_what_is_in_the_config_map(run: Run) -> None:
    seen: list[object] = []

    def program() -> object:
        config = PluginConfig("tool", MINIMAL | {"scripts": {"b": "", "a": ""}})
        return pulumi.Output.all(
            config.plugin_name, config.config_map_name, config.script_names
        ).apply(seen.extend)

    run(program)
    assert seen == ["tool-v1", "tool-cmp-tool-v1-1a2b3c4d", ["a", "b"]]


def test_values_that_are_known_later_are_checked_later(run: Run) -> None:
    later: pulumi.Output[float] = pulumi.Output.from_input(1.0)
    with pytest.raises(InvalidInputError, match=r"PluginConfig tool: version is 1\.0"):
        run(lambda: PluginConfig("tool", MINIMAL | {"version": later}))


def test_plain_values_are_refused_before_anything_is_registered(run: Run) -> None:
    def program() -> None:
        with pytest.raises(InvalidInputError, match="PluginConfig tool: generate_command"):
            PluginConfig("tool", MINIMAL | {"generate_command": []})

    assert not run(program).of_type(CONFIG_MAP)


@pytest.mark.parametrize(
    "secret",
    [
        {"scripts": pulumi.Output.secret({"a": "hidden"})},
        {"scripts": {"a": pulumi.Output.secret("hidden")}},
        {"generate_args": [pulumi.Output.secret("hidden")]},
    ],
)
def test_a_secret_never_reaches_a_config_map(run: Run, secret: Any) -> None:
    with pytest.raises(InvalidInputError, match="holds a Pulumi secret") as raised:
        run(lambda: PluginConfig("tool", MINIMAL | secret))
    assert "hidden" not in str(raised.value)


def test_an_argument_that_nobody_reads_is_refused_with_the_one_that_was_meant(run: Run) -> None:
    with pytest.raises(InvalidInputError, match="did you mean generate_args"):
        run(lambda: PluginConfig("tool", MINIMAL | {"generate_arg": []}))
