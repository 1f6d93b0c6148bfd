"""A program that is handed over: one Stack, of the very commit, with no credential in it."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from plugin_image.renderer import parameters
from plugin_image.renderer.application import Application
from plugin_image.renderer.errors import RefusedError, RenderError, UsageError
from plugin_image.renderer.pulumi import operator
from plugin_image.renderer.pulumi.options import Options
from plugin_image.renderer.pulumi.renderer import PULUMI
from tests.asking import objects, request

SHOP = Application(
    name="shop",
    repository="https://git.example.com/team/apps.git",
    revision="0123456789abcdef0123456789abcdef01234567",
    path="apps/shop",
)


def stack(**given: Any) -> Any:
    arguments = {"application": SHOP, "name": "acme/prod", "config": {}, "more": None, **given}
    return operator.stack(**arguments)


def test_the_stack_deploys_the_commit_that_argo_cd_syncs() -> None:
    assert stack(config={"replicas": "3"}) == {
        "apiVersion": "pulumi.com/v1",
        "kind": "Stack",
        "metadata": {"name": "shop"},
        "spec": {
            "stack": "acme/prod",
            "projectRepo": "https://git.example.com/team/apps.git",
            "repoDir": "apps/shop",
            "commit": SHOP.revision,
            "config": {"replicas": "3"},
        },
    }


def test_further_fields_of_the_spec_are_the_operators_own() -> None:
    more = """
        serviceAccountName: pulumi
        destroyOnFinalize: true
        envRefs:
          AWS_REGION: {type: Literal, literal: {value: eu-west-1}}
          PULUMI_ACCESS_TOKEN: {type: Secret, secret: {name: pulumi-api, key: token}}
    """
    spec = stack(more=more)["spec"]
    assert spec["serviceAccountName"] == "pulumi"
    assert spec["destroyOnFinalize"] is True
    assert spec["envRefs"]["AWS_REGION"]["literal"] == {"value": "eu-west-1"}


@pytest.mark.parametrize(
    "more",
    [
        "envRefs: {PULUMI_ACCESS_TOKEN: {type: Literal, literal: {value: canary}}}",
        "envRefs: {AWS_SECRET_ACCESS_KEY: {literal: {value: canary}}}",
        "envRefs: {PULUMI_CONFIG_PASSPHRASE: {type: Literal, literal: {value: canary}}}",
        "gitAuth: {accessToken: {type: Literal, literal: {value: canary}}}",
        "gitAuth: {basicAuth: {userName: {type: Env}, password: {literal: {value: canary}}}}",
        "secretsRef: {password: {type: Literal, literal: {value: canary}}}",
        "secrets: {password: canary}",
        "envRefs: {DB_PASS: {type: Literal, literal: {value: canary}}}",
        "envRefs: {GITHUB_PAT: {type: Literal, literal: {value: canary}}}",
        "envRefs: {APIKEY: {type: Literal, literal: {value: canary}}}",
        "envRefs: {URL: {type: Literal, literal: {value: 'postgres://u:canary@db'}}}",
        "backend: https://robot:canary@state.example.com",
        "gitAuth: [{type: Literal, literal: {value: canary}}]",
        "workspaceTemplate: {spec: {podTemplate: {spec: {containers: [{name: a, env: "
        "[{name: AWS_SECRET_ACCESS_KEY, value: canary}]}]}}}}",
    ],
)
def test_a_credential_by_value_is_refused_and_not_repeated(more: str) -> None:
    with pytest.raises(RefusedError, match="credential by value") as raised:
        stack(more=more)
    assert "canary" not in raised.value.report()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("commit: abc", "sets commit, which the Application says already"),
        ("stack: other", "sets stack, which"),
        ("branch: main", "something other than what Argo CD syncs"),
        ("fluxSource: {}", "something other than"),
        ("- a", "not a mapping"),
        ("a: [", "not YAML"),
    ],
)
def test_fields_that_cannot_be_meant_are_refused(more: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        stack(more=more)


@pytest.mark.parametrize("revision", ["", "streamed", "main", "0123abc"])
def test_what_is_no_commit_is_not_deployed(revision: str) -> None:
    with pytest.raises(UsageError, match="is not a commit"):
        stack(application=Application(**{**vars(SHOP), "revision": revision}))


def test_an_application_of_another_namespace_has_a_name_that_objects_may_have() -> None:
    of_team = Application(**{**vars(SHOP), "name": "team-a_shop"})
    assert stack(application=of_team)["metadata"]["name"] == "team-a.shop"
    with pytest.raises(UsageError, match="not a valid object name"):
        stack(application=Application(**{**vars(SHOP), "name": "Shop"}))


def of_application(name: str) -> str:
    made = stack(application=Application(**{**vars(SHOP), "name": name}))
    return str(made["metadata"]["name"])


@pytest.mark.parametrize(
    "name", ["a" * 42, "a" * 43, "a" * 253, f"{'a' * 32}-b{'c' * 20}", f"{'a' * 31}.-.{'c' * 20}"]
)
def test_the_operator_takes_every_name(name: str) -> None:
    made = of_application(name)
    assert len(made) <= 42, "the rule of the CustomResourceDefinition"
    assert re.fullmatch(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?", made)
    assert made == of_application(name)


def test_a_name_that_the_operator_takes_is_kept() -> None:
    assert of_application("a" * 42) == "a" * 42


def test_long_names_that_begin_alike_stay_apart() -> None:
    assert of_application("a" * 60 + "b") != of_application("a" * 60 + "c")


@pytest.mark.parametrize("missing", ["name", "repository"])
def test_nothing_is_guessed_where_argo_cd_says_nothing(missing: str) -> None:
    application = Application(**{**vars(SHOP), missing: ""})
    with pytest.raises(UsageError, match=f"does not say the Application's {missing}"):
        stack(application=application)


class TestAFolder:
    """The same by the options of an Application."""

    def render(self, folder: Path, **env: str) -> Any:
        (folder / "Pulumi.yaml").write_text("name: shop\nruntime: dotnet\n")
        build = {
            "ARGOCD_APP_NAME": "shop",
            "ARGOCD_APP_REVISION": SHOP.revision,
            "ARGOCD_APP_SOURCE_REPO_URL": "https://robot:canary@git.example.com/team/apps.git",
            "ARGOCD_APP_SOURCE_PATH": "apps/shop",
        }
        given = build | {f"ARGOCD_ENV_{k}": v for k, v in env.items()}
        asked = request(folder, folder / "cache", env=given)
        options = PULUMI.options(asked, parameters.read(given, PULUMI.table))
        return objects(PULUMI, asked, options)

    def test_is_handed_over_in_whatever_language(self, tmp_path: Path) -> None:
        made = self.render(
            tmp_path, PULUMI_MODE="operator", PULUMI_STACK="prod", PULUMI_CONFIG='{"a": "b"}'
        )
        assert made == [stack(name="prod", config={"a": "b"})]

    def test_keeps_the_repositorys_credentials_to_itself(self, tmp_path: Path) -> None:
        assert "canary" not in str(self.render(tmp_path, PULUMI_MODE="operator", PULUMI_STACK="a"))

    def test_is_not_rendered_with_fields_of_a_stack(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="for the mode `operator` only"):
            self.render(tmp_path, PULUMI_STACK="a", PULUMI_STACK_SPEC="{}")


def test_a_stack_that_is_handed_over_needs_no_file(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: shop\nruntime: python\n")
    (tmp_path / "Pulumi.dev.yaml").write_text("config: {}\n")
    asked = replace(request(tmp_path, tmp_path / "cache"), application=SHOP)
    (made,) = objects(PULUMI, asked, Options(mode="operator", stack="acme/prod"))
    assert made["spec"]["stack"] == "acme/prod"


def test_a_key_of_the_spec_that_is_an_integer_becomes_a_string() -> None:
    more = "workspaceTemplate: {metadata: {labels: {1: a, 2: {3: b}}}}"
    spec = stack(more=more)["spec"]
    assert spec["workspaceTemplate"]["metadata"]["labels"] == {"1": "a", "2": {"3": "b"}}


def test_a_key_of_the_spec_that_is_null_is_named() -> None:
    with pytest.raises(RenderError, match="the key null"):
        stack(more="{null: a}")
