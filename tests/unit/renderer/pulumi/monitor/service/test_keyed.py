"""What a program gets for its resources of the random provider, and what is refused."""

from typing import Any

import pytest

from plugin_image.renderer.pulumi.monitor.errors import Refusal
from plugin_image.renderer.pulumi.monitor.run_context import Unreadable
from plugin_image.renderer.pulumi.monitor.values import unreadable, wire
from tests.unit.renderer.pulumi.monitor.harness import COMPONENT, CONFIG_MAP, Harness, secret

PASSWORD = "random:index/randomPassword:RandomPassword"
STRING = "random:index/randomString:RandomString"
SHUFFLE = "random:index/randomShuffle:RandomShuffle"
BYTES = "random:index/randomBytes:RandomBytes"
KEY = "ab" * 32


def keyed(**deployment: Any) -> Harness:
    return Harness(random_key=KEY, **deployment)


def test_without_a_key_it_is_a_resource_of_another_provider() -> None:
    harness = Harness()
    harness.register(STRING, "a", {"length": 8})
    assert harness.recording.foreign == [("random", f"{STRING} 'a'")]


def test_resources_that_are_not_known_are_those_of_another_provider() -> None:
    harness = keyed()
    harness.register("random:index/randomDice:RandomDice", "a", {"length": 8})
    harness.register("aws:s3/bucket:Bucket", "b")
    assert [package for package, _ in harness.recording.foreign] == ["random", "aws"]


def test_a_program_gets_what_the_sdk_marks_as_secret() -> None:
    harness = keyed()
    state = harness.state(harness.register(PASSWORD, "a", {"length": 8, "result": None}))
    assert {name for name, value in state.items() if wire.is_secret(value)} == {
        "bcryptHash",
        "result",
    }
    made = [wire.reveal(state[name]) for name in ("bcryptHash", "result")]
    assert harness.recording.keyed == made
    assert (state["length"], state["minUpper"], state["special"]) == (8, 0, True)
    assert "overrideSpecial" not in state


def test_the_id_of_secret_bytes_is_known_as_a_secret_though_no_id_can_be_marked() -> None:
    harness = keyed()
    response = harness.register(BYTES, "a", {"length": 8})
    assert response.id in harness.recording.keyed


def test_what_is_made_of_a_secret_is_one() -> None:
    harness = keyed()
    given = {"inputs": [secret("first"), "second"]}
    state = harness.state(harness.register(SHUFFLE, "a", given))
    assert wire.is_secret(state["results"])
    assert sorted(harness.recording.keyed) == ["first", "second"]
    keepers = {"length": 8, "keepers": {"of": secret("other")}}
    state = harness.state(harness.register(STRING, "b", keepers))
    assert not wire.is_secret(state["result"])
    assert wire.is_secret(state["keepers"]["of"])


def test_the_urn_tells_values_apart() -> None:
    harness = keyed()
    parent = harness.register(COMPONENT, "parent", custom=False).urn
    places = [("a", ""), ("b", ""), ("a", parent)]
    ids = [harness.register(STRING, name, {"length": 8}, parent=up).id for name, up in places]
    assert len(set(ids)) == 3


def test_a_renamed_resource_keeps_its_value_by_its_alias() -> None:
    before = keyed().register(STRING, "before", {"length": 8})
    after = keyed().register(STRING, "after", {"length": 8}, aliasURNs=[before.urn])
    assert after.id == before.id
    with pytest.raises(Refusal, match="has aliases of several resources"):
        other = before.urn.replace("before", "other")
        keyed().register(STRING, "after", {"length": 8}, aliasURNs=[before.urn, other])


def test_a_secret_and_a_plain_keeper_make_the_same_value() -> None:
    plain, marked = (
        keyed().register(STRING, "a", {"length": 8, "keepers": {"of": value}}).id
        for value in ("x", secret("x"))
    )
    assert plain == marked


@pytest.mark.parametrize(
    ("properties", "options", "says"),
    [
        ({}, {}, "has no length"),
        (
            {"length": 8, "keepers": {"a": wire.UNKNOWN}},
            {},
            "is made with a value that the program never computed",
        ),
        ({"length": 8}, {"ignoreChanges": ["keepers.a"]}, "has keepers.a among its ignoreChanges"),
        ({"length": 8}, {"ignoreChanges": ["*"]}, "has \\* among its ignoreChanges"),
        ({"length": 8}, {"importId": "abc"}, "is imported"),
    ],
)
def test_what_only_a_state_could_tell_is_refused(
    properties: dict[str, Any], options: dict[str, Any], says: str
) -> None:
    harness = keyed()
    with pytest.raises(Refusal, match=f"^{STRING} 'a' {says}"):
        harness.register(STRING, "a", properties, **options)
    assert harness.recording.refusals


def test_what_is_ignored_of_its_outputs_changes_nothing() -> None:
    one = keyed().register(STRING, "a", {"length": 8}, ignoreChanges=["result"])
    assert one.id == keyed().register(STRING, "a", {"length": 8}).id


def test_no_value_is_made_with_what_only_a_cluster_knows() -> None:
    harness = keyed()
    uid = harness.state(harness.register(CONFIG_MAP, "map"))["metadata"]["uid"]
    with pytest.raises(Refusal, match=r"with the value of metadata\.uid of ConfigMap 'map', which"):
        harness.register(STRING, "a", {"length": 8, "keepers": {"of": f"uid {uid}"}})


@pytest.mark.parametrize("followed", [True, False])
def test_no_value_is_made_with_a_secret_that_cannot_be_read(followed: bool) -> None:
    lost = Unreadable(keys=["shop:key"], why="no key", fix="give one", followed=followed)
    harness = keyed(unreadable=lost)
    with pytest.raises(Refusal, match="is given the secret 'shop:key'"):
        given = {"length": 8, "keepers": {"of": secret(unreadable.placeholder(0))}}
        harness.register(STRING, "a", given)
