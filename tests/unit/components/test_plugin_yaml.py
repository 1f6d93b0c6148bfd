"""plugin.yaml: everything cmp-server would refuse or silently ignore is refused here."""

from typing import Any

import pytest
import yaml

from components.container import plugin_yaml
from components.shared.errors import InvalidInputError

MINIMAL: dict[str, Any] = {"plugin_name": "tool", "generate_command": ["tool", "generate"]}


def spec_of(values: dict[str, Any]) -> Any:
    return yaml.safe_load(plugin_yaml.define(MINIMAL | values).document)["spec"]


def test_a_minimal_definition_is_the_document_that_argo_cd_documents() -> None:
    definition = plugin_yaml.define(MINIMAL | {"version": "v1.0"})
    assert definition.full_name == "tool-v1.0"
    assert yaml.safe_load(definition.document) == {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "ConfigManagementPlugin",
        "metadata": {"name": "tool"},
        "spec": {"version": "v1.0", "generate": {"command": ["tool", "generate"]}},
    }


def test_a_plugin_without_version_is_named_by_its_name_alone() -> None:
    assert plugin_yaml.define(MINIMAL).full_name == "tool"


def test_every_field_reaches_the_document() -> None:
    assert spec_of(
        {
            "version": "v2",
            "generate_args": ["--all"],
            "init_command": ["tool", "init"],
            "init_args": ["-q"],
            "discover_find_command": ["tool", "find"],
            "discover_find_args": ["."],
            "static_parameters": [
                {"name": "values", "collection_type": "map", "map": {"a": "b"}, "required": True}
            ],
            "dynamic_parameters_command": ["tool", "parameters"],
            "dynamic_parameters_args": ["--json"],
            "preserve_file_mode": True,
            "provide_git_creds": True,
        }
    ) == {
        "version": "v2",
        "init": {"command": ["tool", "init"], "args": ["-q"]},
        "generate": {"command": ["tool", "generate"], "args": ["--all"]},
        "discover": {"find": {"command": ["tool", "find"], "args": ["."]}},
        "parameters": {
            "static": [
                {"name": "values", "required": True, "collectionType": "map", "map": {"a": "b"}}
            ],
            "dynamic": {"command": ["tool", "parameters"], "args": ["--json"]},
        },
        "preserveFileMode": True,
        "provideGitCreds": True,
    }


@pytest.mark.parametrize("version", ["1", "1.0", "1e3", "0o17", "0x1f", "1_000"])
def test_a_version_that_looks_like_a_number_stays_a_string_in_every_yaml_reader(
    version: str,
) -> None:
    document = plugin_yaml.define(MINIMAL | {"version": version}).document
    assert f'version: "{version}"' in document


@pytest.mark.parametrize("word", ["no", "on", "null", "true", "~", ".inf", "-1", "2026-01-01"])
def test_a_word_that_yaml_would_take_for_something_else_stays_a_string(word: str) -> None:
    assert spec_of({"generate_args": [word]})["generate"]["args"] == [word]


def test_a_shell_script_in_an_argument_survives() -> None:
    script = "set -e\n  echo a: b # c\n\ttrue\n"
    assert spec_of({"generate_args": ["-c", script]})["generate"]["args"] == ["-c", script]


REFUSED: list[tuple[dict[str, Any], str, str]] = [
    # given on top of MINIMAL (None takes away), field, words of the reason
    ({"plugin_name": None}, "plugin_name", "is missing"),
    ({"plugin_name": ""}, "plugin_name", "is empty"),
    ({"plugin_name": "My_Tool"}, "plugin_name", "not a valid DNS label"),
    ({"plugin_name": "a/b"}, "plugin_name", "not a valid DNS label"),
    ({"plugin_name": "a" * 64}, "plugin_name", "not a valid DNS label"),
    ({"version": "v" * 99}, "plugin_name", "socket path"),
    ({"version": 1.0}, "version", "not a string"),
    ({"version": True}, "version", "not a string"),
    ({"version": ""}, "version", "file name"),
    ({"version": "../v1"}, "version", "file name"),
    ({"version": "v1."}, "version", "file name"),
    ({"generate_command": None}, "generate_command", "is missing"),
    ({"generate_command": []}, "generate_command", "no program"),
    ({"generate_command": [""]}, "generate_command", "no program"),
    ({"generate_command": "tool"}, "generate_command", "list of strings"),
    ({"generate_command": ["tool", 1]}, "generate_command", "not a string"),
    ({"init_command": []}, "init_command", "no program"),
    ({"init_args": ["-q"]}, "init_args", "without init_command"),
    ({"dynamic_parameters_args": []}, "dynamic_parameters_args", "without"),
    ({"dynamic_parameters_command": []}, "dynamic_parameters_command", "no program"),
    (
        {"discover_file_name": "a", "discover_find_glob": "*"},
        "discover_find_glob",
        "combined with discover_file_name: Argo CD",
    ),
    (
        {"discover_find_glob": "*", "discover_find_command": ["a"]},
        "discover_find_command",
        "combined with discover_find_glob: Argo CD",
    ),
    ({"discover_file_name": "**/a"}, "discover_file_name", "`**`"),
    ({"discover_file_name": "[a"}, "discover_file_name", "malformed"),
    ({"discover_find_glob": "Chart.yaml"}, "discover_find_glob", "missing file is an error"),
    ({"discover_find_glob": "**/?.yaml"}, "discover_find_glob", "literally"),
    ({"discover_find_command": []}, "discover_find_command", "no program"),
    ({"discover_find_args": ["."]}, "discover_find_args", "without"),
    ({"preserve_file_mode": "false"}, "preserve_file_mode", "true or false"),
    ({"provide_git_creds": "yes"}, "provide_git_creds", "true or false"),
    ({"scripts": {"plugin.yaml": ""}}, "scripts", "plugin.yaml"),
    ({"scripts": {"a/b": ""}}, "scripts", "cannot be a key"),
    ({"scripts": {"..": ""}}, "scripts", "cannot be a key"),
    ({"scripts": {"a": 1}}, "scripts", "not a string"),
    ({"scripts": ["a"]}, "scripts", "must map"),
    ({"scripts": {"a": "x" * 1024 * 1024}}, "scripts", "bytes"),
    ({"static_parameters": {}}, "static_parameters", "list of parameters"),
    ({"static_parameters": ["a"]}, "static_parameters[0]", "must be an object"),
    ({"static_parameters": [{}]}, "static_parameters[0].name", "is empty"),
    ({"static_parameters": [{"name": "a", "typ": "b"}]}, "static_parameters[0].typ", "not part"),
    (
        {"static_parameters": [{"name": "a"}, {"name": "a"}]},
        "static_parameters[1].name",
        "repeats",
    ),
    (
        {"static_parameters": [{"name": "a", "collection_type": "list"}]},
        "static_parameters[0].collection_type",
        "does not know",
    ),
    (
        {"static_parameters": [{"name": "a", "item_type": "int"}]},
        "static_parameters[0].item_type",
        "does not know",
    ),
    (
        {"static_parameters": [{"name": "a", "array": ["b"]}]},
        "static_parameters[0].array",
        "collection_type string",
    ),
    (
        {"static_parameters": [{"name": "a", "required": "yes"}]},
        "static_parameters[0].required",
        "true or false",
    ),
]


@pytest.mark.parametrize(("given", "field", "reason"), REFUSED)
def test_a_bad_definition_is_refused_with_field_reason_and_fix(
    given: dict[str, Any], field: str, reason: str
) -> None:
    values = {key: value for key, value in (MINIMAL | given).items() if value is not None}
    with pytest.raises(InvalidInputError) as raised:
        plugin_yaml.define(values)
    assert raised.value.field == field
    assert reason in raised.value.problem
    assert raised.value.fix
    assert str(raised.value) == f"{field} {raised.value.problem}. Fix: {raised.value.fix}."


def test_the_longest_socket_path_that_linux_takes_is_accepted() -> None:
    longest = plugin_yaml.SOCKET_PATH_MAX - len("/home/argocd/cmp-server/plugins/tool-.sock")
    assert plugin_yaml.full_name("tool", "v" * longest)
    with pytest.raises(InvalidInputError, match="by 1 characters"):
        plugin_yaml.full_name("tool", "v" * (longest + 1))
