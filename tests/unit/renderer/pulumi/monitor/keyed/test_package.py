"""Values in the shape that the arguments ask for, over many arguments.

Source: hashicorp/terraform-provider-random, whose own tests assert the same shapes.
"""

import base64
import random
import re
import string
import uuid
from collections import Counter
from typing import Any

import pytest

from plugin_image.renderer.pulumi.monitor.keyed import package, words
from plugin_image.renderer.pulumi.monitor.keyed.arguments import ArgumentError
from plugin_image.renderer.pulumi.monitor.keyed.package import KINDS, Made

_KEY = b"k" * 32
_CLASSES = {
    "Upper": string.ascii_uppercase,
    "Lower": string.ascii_lowercase,
    "Numeric": string.digits,
    "Special": "!@#$%&*()-_=+[]{}<>:?",
}


def made(
    kind: str, *, key: bytes = _KEY, origin: str = "one", trigger: Any = None, **given: Any
) -> Made:
    type_ = f"random:index/random{kind}:Random{kind}"
    return package.made(key, type_, given, origin=origin, trigger=trigger)


def minimal(kind: str) -> dict[str, Any]:
    """Arguments that are enough for a value that hardly occurs twice."""
    every: dict[str, dict[str, Any]] = {
        "Bytes": {"length": 8},
        "Id": {"byteLength": 8},
        "Integer": {"min": 0, "max": 2**52},
        "Password": {"length": 12},
        "Pet": {"length": 9},
        "Shuffle": {"inputs": list(string.ascii_letters)},
        "String": {"length": 12},
    }
    return every.get(kind, {})


_KINDS = sorted(type_.rpartition(":Random")[2] for type_ in KINDS)


@pytest.mark.parametrize("kind", _KINDS)
def test_a_value_is_stable_and_another_for_whatever_forces_a_new_one(kind: str) -> None:
    given = minimal(kind)
    others = [
        made(kind, **given),
        made(kind, **given, key=b"l" * 32),
        made(kind, **given, origin="two"),
        made(kind, **given, trigger="now"),
        made(kind, **given, keepers={"a": "1"}),
        made(kind, **given, keepers={"a": "2"}),
        made(kind, **given, keepers={"b": "1"}),
    ]
    assert made(kind, **given) == others[0]
    assert len({str((one.id, one.outputs)) for one in others}) == len(others)


@pytest.mark.parametrize("kind", _KINDS)
def test_what_says_nothing_new_changes_no_value(kind: str) -> None:
    given = minimal(kind)
    value = made(kind, **given)
    known = KINDS[f"random:index/random{kind}:Random{kind}"].arguments
    spelled = {name: argument.default for name, argument in known.items()} | given
    assert made(kind, **spelled, keepers={}) == value
    assert made(kind, **given, keepers={"a": None}, result=None) == value
    assert made(kind, **given, keepers={"a": 1, "b": True}) == made(
        kind, **given, keepers={"a": "1", "b": "true"}
    )


def test_characters_are_those_that_are_asked_for() -> None:
    choose = random.Random(7)
    for _ in range(300):
        given: dict[str, Any] = {
            name.lower(): on
            for name in _CLASSES
            if (on := choose.choice([None, True, False])) is not None
        }
        given |= {f"min{name}": choose.randrange(4) for name in _CLASSES}
        special = choose.choice(["", "_", "äöü€", "!-"])
        classes = _CLASSES | ({"Special": special} if special else {})
        least = sum(given[f"min{name}"] for name in classes)
        length = max(1, least + choose.randrange(20))
        used = {name for name in classes if given.get(name.lower(), True)}
        if not used:
            continue
        value = made("String", **given, overrideSpecial=special, length=length)
        assert value.id == value.outputs["result"]
        assert len(value.id) == length
        counts = Counter(value.id)
        for name, letters in classes.items():
            found = sum(counts[letter] for letter in letters)
            wanted = given[f"min{name}"]
            assert found >= wanted if name in used else found == wanted, (given, value.id)
        assert set(value.id) <= set("".join(classes.values()))


def test_the_characters_of_a_minimum_may_be_anywhere() -> None:
    given: dict[str, Any] = {"length": 4, "minSpecial": 1, "special": False}
    values = [made("String", **given, origin=str(i)).id for i in range(60)]
    places = {next(i for i, c in enumerate(value) if not c.isalnum()) for value in values}
    assert places == {0, 1, 2, 3}


def test_number_is_another_name_of_numeric() -> None:
    old, new = made("String", length=40, number=False), made("String", length=40, numeric=False)
    assert old == new
    assert (old.outputs["number"], old.outputs["numeric"]) == (False, False)
    assert not set(old.id) & set(string.digits)


def test_a_password_has_no_id_and_a_hash_of_its_own() -> None:
    one = made("Password", length=12)
    assert one.id == "none"
    assert re.fullmatch(r"\$2a\$10\$[./A-Za-z0-9]{53}", one.outputs["bcryptHash"])
    assert made("String", length=12).id != one.outputs["result"]


def test_bytes_are_spelled_in_several_ways() -> None:
    for length in (1, 2, 3, 16, 100):
        value = made("Bytes", length=length)
        drawn = bytes.fromhex(value.outputs["hex"])
        assert len(drawn) == length
        assert value.id == value.outputs["base64"] == base64.b64encode(drawn).decode()
        one = made("Id", byteLength=length, prefix="p/")
        drawn = bytes.fromhex(one.outputs["hex"].removeprefix("p/"))
        assert len(drawn) == length
        assert one.outputs["dec"] == f"p/{int.from_bytes(drawn, 'big')}"
        assert one.outputs["b64Std"] == f"p/{base64.b64encode(drawn).decode()}"
        assert one.outputs["b64Url"] == f"p/{one.id}"
        assert base64.urlsafe_b64decode(one.id + "=" * (-len(one.id) % 4)) == drawn


def test_an_integer_is_in_its_range() -> None:
    choose = random.Random(7)
    for _ in range(200):
        least = choose.randrange(-(2**53) + 1, 2**52)
        most = choose.choice([least, least + 1, least + choose.randrange(2**52)])
        value = made("Integer", min=least, max=most)
        assert least <= value.outputs["result"] <= most
        assert value.id == str(value.outputs["result"])
    drawn = {made("Integer", min=1, max=6, origin=str(i)).id for i in range(100)}
    assert drawn == set("123456")


def test_a_pet_has_as_many_words_as_asked_for() -> None:
    adverb, adjective, name = (
        f"(?:{'|'.join(w)})" for w in (words.ADVERBS, words.ADJECTIVES, words.NAMES)
    )
    assert re.fullmatch(name, made("Pet", length=1).id)
    assert re.fullmatch(f"{adjective}-{name}", made("Pet").id)
    assert re.fullmatch(
        f"x_{adverb}_{adverb}_{adjective}_{name}",
        made("Pet", length=4, separator="_", prefix="x").id,
    )
    every = words.ADVERBS + words.ADJECTIVES + words.NAMES
    assert all(re.fullmatch("[a-z]+", word) for word in every)
    assert all(
        len(set(part)) == len(part) for part in (words.ADVERBS, words.ADJECTIVES, words.NAMES)
    )


def test_a_shuffle_takes_each_item_once_before_any_again() -> None:
    inputs = ["a", "b", "c", "c"]
    for count in (None, 0, 1, 4, 7, 12):
        results = made("Shuffle", inputs=inputs, resultCount=count).outputs["results"]
        assert len(results) == (4 if count is None else count)
        for start in range(0, len(results), 4):
            part = Counter(results[start : start + 4])
            assert part <= Counter(inputs)
    assert made("Shuffle", inputs=[], resultCount=3).outputs["results"] == []
    assert made("Shuffle", inputs=[1, True]).id == "-"


def test_equal_seeds_make_equal_values_wherever_they_are() -> None:
    for kind in ("Integer", "Shuffle"):
        given = {**minimal(kind), "seed": "7"}
        one = made(kind, **given)
        assert made(kind, **given, origin="two", keepers={"a": "1"}) == one
        assert made(kind, **{**given, "seed": 7}) == one
        assert made(kind, **{**given, "seed": "8"}) != one
        assert made(kind, **given, key=b"l" * 32) != one


def test_a_uuid_is_of_its_version() -> None:
    for kind, version in (("Uuid", 4), ("Uuid4", 4), ("Uuid7", 7)):
        for i in range(20):
            value = made(kind, origin=str(i))
            found = uuid.UUID(value.id)
            assert (found.version, found.variant) == (version, uuid.RFC_4122)
            assert str(found) == value.id == value.outputs["result"]


@pytest.mark.parametrize(
    ("kind", "given", "says"),
    [
        ("Password", {}, "has no length"),
        ("Password", {"length": 0}, "has the length 0"),
        ("Password", {"length": 2**30}, "has the length 1073741824"),
        ("Password", {"length": 1.5}, "has a length that is not a whole number"),
        ("Password", {"length": True}, "has a length that is not a whole number"),
        ("Password", {"length": 8, "special": 1}, "has a special that is not a boolean"),
        ("Password", {"length": 8, "minLower": 5, "minUpper": 4}, "its minimums come to 9"),
        ("Password", {"length": 8, "number": True, "numeric": False}, "that is not its numeric"),
        ("Password", {"length": 8, "overrideSpecial": "\0"}, "has NUL"),
        (
            "Password",
            {"length": 8, "upper": False, "lower": False, "numeric": False, "special": False},
            "may have no characters",
        ),
        ("Password", {"length": 8, "size": 9}, "has the argument size"),
        ("Password", {"length": 8, "keepers": ["a"]}, "has keepers that are not a map"),
        ("Password", {"length": 8, "keepers": {"a": ["b"]}}, "a value that is not a string"),
        ("Integer", {"min": 2, "max": 1}, "has the min 2 above its max 1"),
        ("Integer", {"min": 2**60, "max": 2**61}, "has the max 2305843009213693952"),
        ("Shuffle", {"inputs": "abc"}, "has inputs that are not a list"),
        ("Pet", {"length": 0}, "has the length 0"),
    ],
)
def test_arguments_that_the_provider_would_not_take_are_refused(
    kind: str, given: dict[str, Any], says: str
) -> None:
    with pytest.raises(ArgumentError, match=re.escape(says)) as caught:
        made(kind, **given)
    assert caught.value.fix


def test_numbers_and_booleans_may_be_strings() -> None:
    one = made("Password", length=12, special=False)
    assert made("Password", length="12", special="false") == one


def test_values_are_those_of_every_version_before() -> None:
    """They are in live objects: what fails here gives every database another password."""
    kinds = ("Bytes", "Integer", "String", "Uuid4", "Uuid7")
    every = {kind: made(kind, **minimal(kind), keepers={"a": "1"}).outputs for kind in kinds}
    assert {kind: one.get("result", one.get("hex")) for kind, one in every.items()} == {
        "Bytes": "be8f8b0c3b300bb7",
        "Integer": 278953502631942,
        "String": "1ei-nCd{#Yn{",
        "Uuid4": "0905d296-4fdd-47c7-b00b-991be9d29d0f",
        "Uuid7": "dc6e9270-ce5d-70f4-8f4e-25ca99d91d35",
    }
    assert made("Pet", length=4).id == "slowly-jointly-leafy-ermine"
    assert made("Shuffle", inputs=list("abcdef")).outputs["results"] == [
        "a",
        "d",
        "b",
        "e",
        "c",
        "f",
    ]
