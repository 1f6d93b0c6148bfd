"""PluginCredentials: secret from the first moment, in one immutable Secret, or a reference."""

from typing import Any

import pulumi
import pytest

from components.container.credentials import PluginCredentials
from components.shared.errors import InvalidInputError

from .conftest import FakeEngine, Run, revealed

SECRET = "kubernetes:core/v1:Secret"


def test_values_given_in_plain_are_secret_on_their_way_to_the_engine(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: dict[str, Any] = {}
    import pulumi_kubernetes as k8s

    original = k8s.core.v1.Secret.__init__

    def spy(self: Any, *args: Any, **kwargs: Any) -> None:
        sent.update(kwargs)
        original(self, *args, **kwargs)

    monkeypatch.setattr(k8s.core.v1.Secret, "__init__", spy)
    secretness: list[bool] = []

    def program() -> object:
        PluginCredentials("tool", {"credentials_env": {"TOKEN": "plain"}})
        flag = pulumi.Output.from_input(sent["string_data"].is_secret())
        return flag.apply(secretness.append)

    engine = run(program)
    assert secretness == [True]
    assert set(sent["opts"].additional_secret_outputs) == {"data", "stringData"}
    assert engine.one(SECRET).inputs["immutable"] is True


def test_no_credential_is_among_the_inputs_of_a_component(run: Run) -> None:
    engine = run(lambda: PluginCredentials("tool", {"credentials_env": {"TOKEN": "canary"}}))
    for resource in engine.resources:
        if resource.typ != SECRET:
            assert "canary" not in repr(resource.inputs)


def test_variables_and_files_are_keys_of_one_secret(run: Run) -> None:
    seen: list[object] = []

    def program() -> object:
        credentials = PluginCredentials(
            "tool",
            {
                "credentials_env": pulumi.Output.secret({"TOKEN": "a", "USER": "b"}),
                "credentials_files": {"netrc": pulumi.Output.secret("c")},
                "namespace": "gitops",
            },
        )
        keys = pulumi.Output.all(
            credentials.secret_name, credentials.env_keys, credentials.file_keys
        )
        return keys.apply(seen.extend)

    secret = run(program).one(SECRET).inputs
    assert secret["metadata"]["namespace"] == "gitops"
    assert revealed(secret["stringData"]) == {"TOKEN": "a", "USER": "b", "netrc": "c"}
    assert seen == ["tool-1a2b3c4d", ["TOKEN", "USER"], ["netrc"]]


def test_names_of_variables_are_no_secret_though_their_values_are(run: Run) -> None:
    flags: list[bool] = []

    def program() -> object:
        credentials = PluginCredentials(
            "tool", {"credentials_env": pulumi.Output.secret({"TOKEN": "a"})}
        )
        flag: pulumi.Output[bool] = pulumi.Output.from_input(credentials.env_keys.is_secret())
        return flag.apply(flags.append)

    run(program)
    assert flags == [False]


def test_an_existing_secret_is_referred_to_and_nothing_is_made(run: Run) -> None:
    seen: list[object] = []

    def program() -> object:
        credentials = PluginCredentials(
            "tool",
            {
                "existing_secret": "theirs",
                "existing_secret_env": ["TOKEN"],
                "existing_secret_files": ["TOKEN", "netrc"],
            },
        )
        keys = pulumi.Output.all(
            credentials.secret_name, credentials.env_keys, credentials.file_keys
        )
        return keys.apply(seen.extend)

    assert not run(program).of_type(SECRET)
    assert seen == ["theirs", ["TOKEN"], ["TOKEN", "netrc"]]


@pytest.mark.parametrize(
    ("given", "field", "reason"),
    [
        ({}, "credentials_env", "both empty"),
        ({"credentials_env": {"A-B": "canary"}}, "credentials_env", "no shell could read"),
        ({"credentials_env": {"A": 1}}, "credentials_env", "not a string"),
        ({"credentials_env": "canary"}, "credentials_env", "must map"),
        ({"credentials_files": {"../x": "canary"}}, "credentials_files", "cannot be a key"),
        (
            {"credentials_env": {"A": "canary"}, "credentials_files": {"A": "canary"}},
            "credentials_files",
            "keys of one Secret",
        ),
        (
            {"credentials_env": {"A": "canary" * 200_000}},
            "credentials_env and credentials_files",
            "bytes",
        ),
        ({"existing_secret": "Theirs"}, "existing_secret", "not a valid object name"),
        ({"existing_secret": "theirs"}, "existing_secret_env", "both empty"),
        (
            {"existing_secret": "theirs", "credentials_env": {"A": "canary"}},
            "credentials_env",
            "combined with existing_secret",
        ),
        ({"existing_secret_env": ["A"]}, "existing_secret_env", "existing_secret is not set"),
        ({"credentials_env": {"A": "canary"}, "namespace": "A"}, "namespace", "DNS label"),
    ],
)
def test_bad_credentials_are_refused_without_showing_them(
    run: Run, given: Any, field: str, reason: str
) -> None:
    with pytest.raises(InvalidInputError) as raised:
        run(lambda: PluginCredentials("tool", given))
    assert raised.value.field == field
    assert reason in raised.value.problem
    assert "canary" not in str(raised.value)


def test_credentials_whose_name_would_stay_the_same_are_refused(
    run: Run, engine: FakeEngine
) -> None:
    engine.are_named_alike = True
    with pytest.raises(InvalidInputError, match="pods would go on with what was in it before"):
        run(lambda: PluginCredentials("tool", {"credentials_env": {"TOKEN": "canary"}}))
