import json
import re

import pytest

from plugin_image.renderer.pulumi.monitor.resources.naming import Namer, Unnamed, namer
from plugin_image.renderer.pulumi.monitor.values import wire

TYPE = "kubernetes:core/v1:ConfigMap"
URN = "urn:pulumi:dev::shop::kubernetes:core/v1:ConfigMap::settings"


def unnamed(name: str = "settings", **fields: str) -> Unnamed:
    return Unnamed(**{"type": TYPE, "urn": URN, "name": name, **fields})


def build(autonaming: object = None, **config: str) -> Namer:
    given = {f"shop:{key}": value for key, value in config.items()}
    if autonaming is not None:
        given["pulumi:autonaming"] = json.dumps(autonaming)
    return namer(given, organization="acme", project="shop", stack="dev")


def test_without_a_setting_the_name_is_the_logical_name() -> None:
    assert build()(unnamed()) == "settings"


@pytest.mark.parametrize("autonaming", [None, {"mode": "default"}, {"providers": {}}])
def test_what_forces_a_new_object_comes_after_the_logical_name(autonaming: object) -> None:
    assert build(autonaming)(unnamed(revision="0a1b2c3d")) == "settings-0a1b2c3d"


@pytest.mark.parametrize("autonaming", [{"mode": "verbatim"}, {"pattern": "${name}"}])
def test_a_name_that_pulumi_keeps_stays_whatever_forces_a_new_object(autonaming: object) -> None:
    assert build(autonaming)(unnamed(revision="0a1b2c3d")) == "settings"


@pytest.mark.parametrize(("type_", "longest"), [("kubernetes:batch/v1:Job", 63), (TYPE, 253)])
def test_a_name_with_a_hash_is_as_long_as_the_kind_allows(type_: str, longest: int) -> None:
    name = build()(unnamed("a" * 300, type=type_, revision="0a1b2c3d"))
    assert name == "a" * (longest - 9) + "-0a1b2c3d"


def test_a_name_is_not_cut_at_a_dash() -> None:
    job = unnamed("a" * 53 + "-" + "b" * 30, type="kubernetes:batch/v1:Job", revision="0a1b2c3d")
    assert build()(job) == "a" * 53 + "-0a1b2c3d"


def test_disabled_naming_gives_no_name() -> None:
    assert build({"mode": "disabled"})(unnamed()) is None


def test_a_pattern_is_filled_from_the_stack_and_its_configuration() -> None:
    pattern = {"pattern": "${organization}-${project}-${stack}-${config.team}-${name}"}
    assert build(pattern, team="blue")(unnamed()) == "acme-shop-dev-blue-settings"


@pytest.mark.parametrize(
    ("expression", "form"),
    [
        ("hex(8)", "[0-9a-f]{8}"),
        ("alphanum(5)", "[0-9a-z]{5}"),
        ("string(12)", "[a-z]{12}"),
        ("num(4)", "[0-9]{4}"),
        ("uuid", "[0-9a-f-]{36}"),
    ],
)
def test_random_parts_depend_on_the_urn_and_what_forces_a_new_object(
    expression: str, form: str
) -> None:
    pattern = {"pattern": f"${{name}}-${{{expression}}}"}
    name = build(pattern)(unnamed())
    assert name == build(pattern)(unnamed())
    assert name != build(pattern)(unnamed(urn=f"{URN}-2"))
    assert name != build(pattern)(unnamed(revision="0a1b2c3d"))
    assert re.fullmatch(f"settings-{form}", str(name))


def test_the_most_specific_setting_wins() -> None:
    names = build(
        {
            "pattern": "all-${name}",
            "providers": {
                "kubernetes": {
                    "pattern": "k8s-${name}",
                    "resources": {"kubernetes:core/v1:Secret": {"pattern": "secret-${name}"}},
                },
                "aws": {"pattern": "aws-${name}"},
            },
        }
    )
    assert names(unnamed("x", type="kubernetes:core/v1:Secret")) == "secret-x"
    assert names(unnamed("x")) == "k8s-x"


@pytest.mark.parametrize(
    "wrong",
    [
        {"mode": "random"},
        {"mode": "verbatim", "pattern": "x"},
        {"enforce": True},
        {"patern": "x"},
        {"providers": {"kubernetes": {"resources": {TYPE: {}}}}},
        [],
    ],
)
def test_a_wrong_setting_is_refused(wrong: object) -> None:
    with pytest.raises(ValueError, match=r"mode|mapping"):
        build(wrong)


@pytest.mark.parametrize("key", ["team", "shop:region"])
def test_a_pattern_that_names_a_key_without_a_value_is_refused(key: str) -> None:
    with pytest.raises(ValueError, match=f"'shop:{key}'"):
        build({"pattern": f"${{config.{key}}}-${{name}}"}, region="eu")


@pytest.mark.parametrize(
    ("path", "value"),
    [("naming.prefix", "acme"), ('naming["team"][1]', "7"), ("naming.on", "true")],
)
def test_a_pattern_may_name_a_part_of_a_structured_value(path: str, value: str) -> None:
    naming = json.dumps({"prefix": "acme", "team": ["a", 7], "on": True})
    assert (
        build({"pattern": f"${{config.{path}}}-${{name}}"}, naming=naming)(unnamed())
        == f"{value}-settings"
    )


@pytest.mark.parametrize("path", ["naming.suffix", "naming[0]", "other.prefix", "naming..", "["])
def test_a_part_that_is_not_there_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match=r"no value|without a name|no end"):
        build({"pattern": f"${{config.{path}}}-${{name}}"}, naming='{"prefix": "acme"}')


def test_a_name_with_a_part_of_a_secret_value_is_secret() -> None:
    config = {"shop:naming": '{"prefix": "acme"}'}
    config["pulumi:autonaming"] = json.dumps({"pattern": "${config.naming.prefix}-${name}"})
    place = {"organization": "acme", "project": "shop", "stack": "dev"}
    assert namer(config, ["shop:naming"], **place)(unnamed()) == wire.secret("acme-settings")
