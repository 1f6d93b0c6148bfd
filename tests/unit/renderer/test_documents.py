import random
import string
from typing import Any

import pytest
import yaml

from plugin_image.renderer import documents
from plugin_image.renderer.errors import ManifestError


@pytest.mark.parametrize("seed", range(50))
def test_a_yaml_parser_reads_back_what_was_written(seed: int) -> None:
    generator = random.Random(seed)
    tree = [_mapping(generator, depth=4) for _ in range(3)]
    stream = documents.to_stream(tree)
    assert list(yaml.safe_load_all(stream)) == tree, stream


@pytest.mark.parametrize(
    "text",
    [
        "on",
        "No",
        "NULL",
        "~",
        "1e3",
        "0x1f",
        "010",
        "1_000",
        "12:30",
        "2020-01-01",
        ".5",
        "-",
        "=",
        "<<",
        "",
        " ",
        "a: b",
        "a #b",
        "*a",
        "&a",
        "!a",
        "- a",
        "?",
        "{",
        "[",
        "'",
        '"',
        "%a",
        "@a",
        "`a",
        "y",
    ],
)
def test_a_text_that_looks_like_something_else_stays_a_text(text: str) -> None:
    stream = documents.to_stream([{text: text}])
    assert list(yaml.safe_load_all(stream)) == [{text: text}], stream


def test_no_documents_are_an_empty_stream() -> None:
    assert documents.to_stream([]) == ""


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_number_without_a_json_form_is_refused(number: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        documents.to_stream([{"number": number}])


def test_reading_follows_yaml_1_2_as_pulumi_does() -> None:
    text = b"a: on\nb: 2020-01-01\nc: 010\nd: 1e3\ne: true\nf: ~\ng: 0x10\nh: 12:30\n"
    assert documents.parse(text) == {
        "a": "on", "b": "2020-01-01", "c": 8, "d": 1000.0, "e": True, "f": None, "g": 16,
        "h": "12:30",
    }  # fmt: skip


def test_text_that_is_no_yaml_is_refused_with_its_place() -> None:
    with pytest.raises(ValueError, match="line 2"):
        documents.parse(b"a: b\n: : :\n  - {")


def _mapping(generator: random.Random, depth: int) -> dict[str, Any]:
    return {_text(generator): _value(generator, depth - 1) for _ in range(generator.randint(0, 4))}


def _value(generator: random.Random, depth: int) -> Any:
    leaves = [
        _text(generator),
        generator.randint(-(2**53), 2**53),
        generator.random(),
        True,
        None,
        1e22,
        -3e-9,
    ]
    if depth <= 0 or generator.random() < 0.4:
        return generator.choice(leaves)
    if generator.random() < 0.5:
        return _mapping(generator, depth)
    return [_value(generator, depth - 1) for _ in range(generator.randint(0, 3))]


def _text(generator: random.Random) -> str:
    alphabet = (
        string.ascii_letters
        + string.digits
        + " \n\t\r:-#'\"{}[],&*?|>%@`~=./\\\0\xa0\u2028\ufeffß世😀"
    )
    return "".join(generator.choice(alphabet) for _ in range(generator.randint(0, 12)))


def test_a_key_that_is_there_twice_is_refused() -> None:
    with pytest.raises(ValueError, match=r"duplicate key a[^$]* line 4, column 3"):
        documents.parse(b"config:\n  a: 1\n  b: 2\n  a: 3\n")


def test_merged_mappings_keep_what_they_say_themselves() -> None:
    text = b"x: &a {p: 1, q: 1}\ny: &b\n  <<: *a\n  p: 2\nz:\n  <<: *b\n  q: 3\n"
    assert documents.parse(text) == {
        "x": {"p": 1, "q": 1},
        "y": {"p": 2, "q": 1},
        "z": {"p": 2, "q": 3},
    }


@pytest.mark.parametrize(
    "code", [*range(0x7F, 0xA0), 0xFFFE, 0xFFFF, 0xD800, 0xDFFF], ids=lambda code: f"U+{code:04X}"
)
@pytest.mark.parametrize("place", ["value", "key"])
def test_a_character_that_argo_cd_cannot_read_is_refused_with_its_place(
    code: int, place: str
) -> None:
    text = f"a{chr(code)}b"
    data = {"list": ["", {"key": text} if place == "value" else {text: "value"}]}
    object_ = {"kind": "ConfigMap", "metadata": {"name": "odd"}, "data": data}
    with pytest.raises(
        ManifestError, match=rf"^ConfigMap 'odd' has in data\.list\[1\]\..* U\+{code:04X}"
    ):
        documents.to_stream([object_])


@pytest.mark.parametrize(
    ("key", "readable"),
    [
        ("k" * 1022, True),
        ("k" * 1023, False),
        ("é" * 1022, True),
        ("é" * 1023, False),
        ('"' * 511, True),
        ('"' * 512, False),
        ("<" * 170, True),
        ("<" * 171, False),
        ("\0" * 171, False),
        (" " + "k" * 1021, True),
        ("\u2028" * 171, False),
        ("k" * 100_000, False),
    ],
    ids=lambda value: f"{value[:2]!r} {len(value)}" if isinstance(value, str) else str(value),
)
def test_a_key_that_is_too_long_for_argo_cd_is_refused(key: str, readable: bool) -> None:
    object_ = {"kind": "Own", "metadata": {"name": "odd"}, "spec": {key: "value"}}
    if readable:
        assert list(yaml.safe_load_all(documents.to_stream([object_]))) == [object_]
    else:
        with pytest.raises(ManifestError, match=r"^Own 'odd' has in spec\..* a key of \d+ char"):
            documents.to_stream([object_])
