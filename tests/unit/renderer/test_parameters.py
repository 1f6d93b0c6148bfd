import json
from typing import Any

import pytest

from plugin_image.contract.option import Option, OptionKind
from plugin_image.renderer import parameters
from plugin_image.renderer.errors import UsageError
from plugin_image.renderer.parameters import Given
from plugin_image.renderer.pulumi import options
from plugin_image.renderer.pulumi.renderer import PULUMI


def read(given: Any = None, **env: str) -> options.Options:
    variables = {f"ARGOCD_ENV_{key}": value for key, value in env.items()}
    return of({"ARGOCD_APP_PARAMETERS": json.dumps(given), **variables})


def of(env: dict[str, str]) -> options.Options:
    return options.of(parameters.read(env, PULUMI.table))


def test_an_application_that_says_nothing_gets_the_defaults() -> None:
    assert read() == of({}) == options.Options()


def test_parameters_and_env_say_the_same() -> None:
    by_parameter = read(
        [
            {"name": "stack", "string": "prod"},
            {"name": "config", "map": {"replicas": "2"}},
            {"name": "allowEmpty", "string": "true"},
            {"name": "allowPlaintextSecrets", "string": "true"},
        ]
    )
    by_env = read(
        PULUMI_STACK="prod",
        PULUMI_CONFIG='{"replicas": "2"}',
        PULUMI_ALLOW_EMPTY="true",
        PULUMI_ALLOW_PLAINTEXT_SECRETS="true",
    )
    assert by_parameter == by_env
    assert by_env.config == {"replicas": "2"}
    assert by_env.allow_empty
    assert by_env.allow_plaintext_secrets


def test_env_of_other_tools_is_left_alone() -> None:
    assert read(REGION="eu") == options.Options()


@pytest.mark.parametrize(
    ("parameters", "env", "message"),
    [
        ([{"name": "stak", "string": "x"}], {}, "unknown plugin parameter `stak`"),
        ([{"name": "stack", "map": {}}], {}, "`stack` has no `string`"),
        ([{"name": "config", "map": {"a": 1}}], {}, "`config` is not a map of strings"),
        ([{"name": "allowEmpty", "string": "yes"}], {}, "`allowEmpty` is 'yes'"),
        ([], {"PULUMI_STAK": "x"}, "unknown plugin env PULUMI_STAK"),
        ([], {"PULUMI_CONFIG": "a=b"}, "PULUMI_CONFIG cannot be read as JSON"),
        ([], {"PULUMI_CONFIG": '{"a": "1", "a": "2"}'}, "the key a twice"),
        (
            [{"name": "config", "map": {"a": "1"}}, {"name": "config", "map": {"b": "2"}}],
            {},
            "plugin parameter `config` is given twice",
        ),
        ([{"name": "stack", "string": "a"}], {"PULUMI_STACK": "b"}, "differ"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    parameters: Any, env: dict[str, str], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        read(parameters, **env)


def test_every_option_is_announced_in_argo_cds_form() -> None:
    announced = {
        entry["name"]: entry["collectionType"] for entry in parameters.announcement(PULUMI.table)
    }
    assert announced == {option.name: option.kind.value for option in PULUMI.table}


@pytest.mark.parametrize("text", ["[" * 100_000, "{}x", '{"a": 1}', "[1]", '"a"', "1"])
def test_parameters_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"ARGOCD_APP_PARAMETERS is (not JSON|not a list)"):
        parameters.read({"ARGOCD_APP_PARAMETERS": text}, PULUMI.table)


def test_an_option_that_is_nested_too_deeply_is_refused() -> None:
    with pytest.raises(UsageError, match="PULUMI_CONFIG cannot be read as JSON"):
        parameters.read({"ARGOCD_ENV_PULUMI_CONFIG": '{"a":' * 100_000}, PULUMI.table)


@pytest.mark.parametrize("option", PULUMI.table, ids=lambda option: option.name)
def test_every_option_of_a_program_changes_what_is_asked(option: Option) -> None:
    samples = {
        OptionKind.STRING: option.choices[-1] if option.choices else "x",
        OptionKind.MAP: {"a": "b"},
        OptionKind.ARRAY: ["a"],
    }
    assert options.of(Given({option: samples[option.kind]})) != options.Options()
