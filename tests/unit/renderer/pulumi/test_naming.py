import json
import re

import pytest

from plugin_image.renderer.pulumi.monitor.naming import Namer, namer

TYPE = "kubernetes:core/v1:ConfigMap"
URN = "urn:pulumi:dev::shop::kubernetes:core/v1:ConfigMap::settings"


def build(autonaming: object = None, **config: str) -> Namer:
    given = {f"shop:{key}": value for key, value in config.items()}
    if autonaming is not None:
        given["pulumi:autonaming"] = json.dumps(autonaming)
    return namer(given, organization="acme", project="shop", stack="dev")


def test_without_a_setting_the_name_is_the_logical_name() -> None:
    assert build()(TYPE, URN, "settings") == "settings"


@pytest.mark.parametrize("mode", ["default", "verbatim"])
def test_modes_without_a_random_part_give_the_logical_name(mode: str) -> None:
    assert build({"mode": mode})(TYPE, URN, "settings") == "settings"


def test_disabled_naming_gives_no_name() -> None:
    assert build({"mode": "disabled"})(TYPE, URN, "settings") is None


def test_a_pattern_is_filled_from_the_stack_and_its_configuration() -> None:
    pattern = {"pattern": "${organization}-${project}-${stack}-${config.team}-${name}"}
    assert build(pattern, team="blue")(TYPE, URN, "settings") == "acme-shop-dev-blue-settings"


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
def test_random_parts_depend_on_the_urn_alone(expression: str, form: str) -> None:
    pattern = {"pattern": f"${{name}}-${{{expression}}}"}
    name = build(pattern)(TYPE, URN, "settings")
    assert name == build(pattern)(TYPE, URN, "settings")
    assert name != build(pattern)(TYPE, f"{URN}-2", "settings")
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
    assert names("kubernetes:core/v1:Secret", URN, "x") == "secret-x"
    assert names(TYPE, URN, "x") == "k8s-x"


@pytest.mark.parametrize(
    "wrong",
    [
        {"mode": "random"},
        {"mode": "verbatim", "pattern": "x"},
        {"enforce": True},
        {"patern": "x"},
        [],
    ],
)
def test_a_wrong_setting_is_refused(wrong: object) -> None:
    with pytest.raises(ValueError, match=r"mode|mapping"):
        build(wrong)


def test_a_pattern_that_names_a_key_without_a_value_is_refused() -> None:
    with pytest.raises(ValueError, match="'shop:team'"):
        build({"pattern": "${config.team}-${name}"})
