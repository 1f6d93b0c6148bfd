"""The key of each Application's stack, which is derived from that of the plugin."""

import pytest

from plugin_image.contract import SHORTEST_RANDOM_KEY, RendererEnv
from plugin_image.renderer.errors import UsageError
from plugin_image.renderer.pulumi import random_key

KEY = RendererEnv.RANDOM_KEY.value
ENV = {KEY: "k" * SHORTEST_RANDOM_KEY, "ARGOCD_APP_NAME": "web"}


def test_each_application_and_stack_has_a_key_of_its_own() -> None:
    asked = [
        (ENV, "shop", "dev"),
        (ENV, "shop", "prod"),
        (ENV, "other", "dev"),
        ({**ENV, "ARGOCD_APP_NAME": "team_web"}, "shop", "dev"),
        ({KEY: ENV[KEY]}, "shop", "dev"),
        ({**ENV, KEY: "l" * SHORTEST_RANDOM_KEY}, "shop", "dev"),
    ]
    keys = [random_key.of_stack(*one) for one in asked]
    assert len(set(keys)) == len(keys)
    assert random_key.of_stack(*asked[0]) == keys[0]


def test_a_key_is_the_same_with_the_line_end_of_a_file() -> None:
    with_end = {**ENV, KEY: f"{ENV[KEY]}\n"}
    same = random_key.of_stack(with_end, "shop", "dev")
    assert same == random_key.of_stack(ENV, "shop", "dev")


def test_a_key_of_any_bytes_will_do() -> None:
    assert random_key.of_stack({KEY: "\udcff" * SHORTEST_RANDOM_KEY}, "shop", "dev")


def test_what_is_derived_stays_the_same_in_every_version() -> None:
    assert random_key.of_stack(ENV, "shop", "dev").hex() == (
        "cd5b5435116c9c660c6874b13b16454292626f42f4933a4dc0b698a68f08b020"
    )


@pytest.mark.parametrize(
    ("env", "says"),
    [
        ({}, f"no {KEY}. "),
        ({KEY: " \n"}, f"no {KEY}. "),
        ({KEY: "k" * (SHORTEST_RANDOM_KEY - 1)}, f"a {KEY} of 31 characters. "),
    ],
)
def test_a_key_that_is_missing_or_too_short_is_refused(env: dict[str, str], says: str) -> None:
    with pytest.raises(UsageError, match="`random` is keyed, and the plugin has ") as caught:
        random_key.of_stack(env, "shop", "dev")
    assert says in str(caught.value)
    assert "kkkk" not in str(caught.value)
