import re
from typing import Any

import pytest

from plugin_image.renderer import kubernetes_yaml


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("on", True),
        ("yes", True),
        ("y", True),
        ("No", False),
        ("OFF", False),
        ("oN", "oN"),
        ("~", None),
        ("", None),
        ("0755", 493),
        ("0o755", 493),
        ("08", 8),
        ("0x1F", 31),
        ("-0b11", -3),
        ("+5", 5),
        ("1_000", 1000),
        ("1e3", 1000),
        ("1e23456", "1e23456"),
        ("-.1e999", "-.1e999"),
        ("1e-23456", 0),
        ("1.50", 1.5),
        (".5", 0.5),
        ("1.", 1),
        ("18446744073709551615", 18446744073709551615),
        ("18446744073709551616", 18446744073709551616.0),
        ("12:30", "12:30"),
        ("1.2.3", "1.2.3"),
        ("2026-01-02", "2026-01-02"),
        ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"),
        ("0x", "0x"),
        ("1e", "1e"),
        ("-x", "-x"),
        ("=", "="),
        ("'on'", "on"),
        ('"0755"', "0755"),
        ("!!str 1", "1"),
        ("!!int '0x10'", 16),
        ("!!int 1_000", 1000),
        ("!!float 1", 1),
        ("!!float '1.5'", 1.5),
        ("!!bool 'on'", True),
        ("!!null ''", None),
        ("!!timestamp 2026-01-02", "2026-01-02"),
        ("!!timestamp '2026-01-02'", "2026-01-02"),
        ("!!binary aGk=", "hi"),
        ("!!binary |\n  aGkg\n  aGk=\n", "hi hi"),
        ("!custom x", "x"),
        ("!custom 7", "7"),
        ("! 7", "7"),
        ("! on", "on"),
        ("!", ""),
        ("! '7'", "7"),
        ("! &x 7", "7"),
        ("&x ! 7", "7"),
        ("&x 7", 7),
        ("&x on", True),
        ("!!python/name:os.system x", "x"),
        ("!!int {x: 1}", {"x": 1}),
        ("!!binary [x]", ["x"]),
        ("!!set {x, y1}", {"x": None, "y1": None}),
        ("!!omap [x: 1]", [{"x": 1}]),
        ("!custom {x: !other [1]}", {"x": [1]}),
    ],
)
def test_a_scalar_is_what_argo_cd_takes_it_for(text: str, value: Any) -> None:
    (document,) = kubernetes_yaml.parse_all(f"a: {text}\n".encode())
    assert document == {"a": value}
    assert type(document["a"]) is type(value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("!!int 1.5", "line 1 has '1.5', which is no !!int"),
        ("!!int on", "line 1 has 'on', which is no !!int"),
        ("!!float x", "line 1 has 'x', which is no !!float"),
        ("!!bool 1", "line 1 has '1', which is no !!bool"),
        ("!!null x", "line 1 has 'x', which is no !!null"),
        ("!!timestamp 2026", "line 1 has '2026', which is no !!timestamp"),
        ("!!binary a", "not a text in Base64"),
        ("!!binary /w==", "not a text in Base64"),
    ],
)
def test_a_scalar_that_is_not_what_its_tag_says_is_refused(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        kubernetes_yaml.parse_all(f"a: {text}\n".encode())


def test_keys_become_texts() -> None:
    (document,) = kubernetes_yaml.parse_all(b"{on: a, 080: b, 1: c, 1.5: d, null-ish: e}")
    assert document == {"true": "a", "80": "b", "1": "c", "1.5": "d", "null-ish": "e"}


@pytest.mark.parametrize("repeated_keys", [False, True])
def test_an_anchor_that_is_given_anew_counts_from_there_on(repeated_keys: bool) -> None:
    text = b"items:\n- a: &x {v: 1}\n  b: *x\n- a: &x {v: &y 2}\n  b: *x\n"
    (document,) = kubernetes_yaml.parse_all(text, repeated_keys=repeated_keys)
    assert document == {"items": [{"a": {"v": v}, "b": {"v": v}} for v in (1, 2)]}


def test_anchors_that_are_given_anew_count_for_many_values_as_others_do() -> None:
    levels = "".join(f"- &{a} [{f'*{b}, ' * 9}1]\n" for a, b in [("y", "x"), ("x", "y")] * 5)
    with pytest.raises(ValueError, match="it has more than"):
        kubernetes_yaml.parse_all(f"- &x [1]\n{levels}".encode())


def test_anchors_and_merges_are_followed() -> None:
    (document,) = kubernetes_yaml.parse_all(b"base: &b {x: 1, y1: 2}\nover: {<<: *b, x: 3}\n")
    assert document["over"] == {"x": 3, "y1": 2}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{<<: *b, k: own}", {"k": "own", "o": 1}),
        ("{k: own, <<: *b}", {"k": "base", "o": 1}),
        ("{<<: [*b, *c]}", {"k": "base", "o": 1, "l": 2}),
        ("{<<: *b, <<: *c}", {"k": "other", "o": 1, "l": 2}),
        ("{'<<': x, <<: [*e, {k: 3}]}", {"<<": "x", "k": "base", "o": 1, "l": 2}),
        ("{<<: [], a: 1}", {"a": 1}),
        ("{m: {y: 2}, <<: *f}", {"m": {"x": 1}}),
    ],
)
def test_a_merge_overrides_what_stands_before_it(text: str, value: Any) -> None:
    """As sigs.k8s.io/yaml v1.6.0 was seen to do for each of these."""
    anchors = (
        "b: &b {k: base, o: 1}\nc: &c {k: other, l: 2}\ne: &e {<<: *b, l: 2}\nf: &f {m: {x: 1}}\n"
    )
    (document,) = kubernetes_yaml.parse_all(f"{anchors}d: {text}\n".encode())
    assert document["d"] == value


@pytest.mark.parametrize("value", ["1", "", "[1]", "[[{a: 1}]]"])
def test_what_is_no_mapping_is_not_merged(value: str) -> None:
    with pytest.raises(ValueError, match="a merge needs a mapping or a list of them"):
        kubernetes_yaml.parse_all(f"d: {{<<: {value}, a: 1}}".encode())


@pytest.mark.parametrize(
    "level", ["[{0}, {0}, {0}]", "{{<<: [{0}, {0}, {0}]}}", "{{a: {0}, b: {0}}}"]
)
def test_aliases_of_aliases_are_refused_before_they_are_followed(level: str) -> None:
    lines = ["a0: &a0 {x: 1}"]
    lines += [f"a{n + 1}: &a{n + 1} {level.format(f'*a{n}')}" for n in range(40)]
    with pytest.raises(ValueError, match="more than 1000000 values"):
        kubernetes_yaml.parse_all("\n".join(lines).encode())


def test_a_stream_is_split_and_empty_documents_are_left_out() -> None:
    assert kubernetes_yaml.parse_all(b"---\n---\na: 1\n---\nnull\n---\n# no\n---\nb: 2\n") == [
        {"a": 1},
        {"b": 2},
    ]


def test_json_objects_may_follow_one_another_and_be_indented_by_tabs() -> None:
    assert kubernetes_yaml.parse_all(b'{\n\t"a": 1.0}\n{"b": "on"}') == [{"a": 1}, {"b": "on"}]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: {b: [.nan]}", "a.b[0] is nan"),
        ("a: -.inf", "a is -inf"),
        ("~: 1", "has the key null"),
        ("a: [", "line 2, column 1"),
    ],
)
def test_what_has_no_json_is_refused(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        kubernetes_yaml.parse_all(text.encode())
    assert said in str(caught.value)


@pytest.mark.parametrize("text", [b"[" * 5_000 + b"]" * 5_000, b"a: &a [*a]"])
def test_what_never_ends_is_refused(text: bytes) -> None:
    with pytest.raises(ValueError, match=r"levels deep|has an alias of what it is in"):
        kubernetes_yaml.parse_all(text)


def test_json_that_never_ends_is_refused() -> None:
    with pytest.raises(ValueError, match="it is nested too deeply"):
        kubernetes_yaml.parse_json(b"[" * 100_000)


@pytest.mark.parametrize("text", [b"data:\n  a: 1\n  'a': 2\n", b'{"data":\n{"a":1,\n"a":2}}'])
def test_a_key_that_is_there_twice_is_refused(text: bytes) -> None:
    with pytest.raises(ValueError, match="line 3 has the key a again: keep one of them"):
        kubernetes_yaml.parse_all(text)


@pytest.mark.parametrize(
    "value", ["1", "[a, {b: 1}]", "{a: {b: 1}}", "\n    x:\n    - y: {z: 1}\n", "'on'", ""]
)
def test_a_key_of_a_chart_may_say_the_same_again(value: str) -> None:
    once = kubernetes_yaml.parse_all(f"data:\n  a: {value}\n".encode())
    twice = f"data:\n  a: {value}\n  'a': {value}\n".encode()
    assert kubernetes_yaml.parse_all(twice, repeated_keys=True) == once


@pytest.mark.parametrize(
    ("one", "other"),
    [("1", "2"), ("1", "true"), ("1", "'1'"), ("{b: 1}", "{b: 2}"), ("[]", "{}"), ("", "0")],
)
def test_a_key_of_a_chart_may_not_say_two_things(one: str, other: str) -> None:
    with pytest.raises(ValueError, match="line 3 has the key a again"):
        kubernetes_yaml.parse_all(
            f"data:\n  a: {one}\n  'a': {other}\n".encode(), repeated_keys=True
        )


def test_a_key_that_is_there_twice_in_a_json_file_is_refused() -> None:
    with pytest.raises(ValueError, match="an object has the key a twice"):
        kubernetes_yaml.parse_json(b'{"data": {"a": 1, "a": 2}}')


MARK = "\ufeff"
TWO = "b: 2\nc: 3\n"


@pytest.mark.parametrize(
    ("text", "documents"),
    [
        (f"{MARK}{TWO}", [{"b": 2, "c": 3}]),
        (f"a: 1\n---\n{MARK}{TWO}", [{"a": 1}, {"b": 2, "c": 3}]),
        (f"a: 1\n--- # two\n{MARK}{TWO}", [{"a": 1}, {"b": 2, "c": 3}]),
        (f"a: 1\r\n---\r\n{MARK}b: 2\r\nc: 3\r\n", [{"a": 1}, {"b": 2, "c": 3}]),
        (f"a: 1\n---\n{MARK}---\n{TWO}", [{"a": 1}, {"b": 2, "c": 3}]),
        (f"a: 1\n---\n{MARK}# two\n{TWO}", [{"a": 1}, {"b": 2, "c": 3}]),
        (f'a: 1\n---\n{MARK}{{"b": 2}}', [{"a": 1}, {"b": 2}]),
        (f"{MARK}# one\n---\n{MARK}{TWO}---\n{MARK}d: 4\n", [{"b": 2, "c": 3}, {"d": 4}]),
        (f"a: 1\n---\n{MARK}", [{"a": 1}]),
        (f"a: 'x{MARK}y'", [{"a": f"x{MARK}y"}]),
        (f"a: |\n  {MARK}x\n", [{"a": f"{MARK}x\n"}]),
    ],
)
def test_a_byte_order_mark_may_begin_any_document(text: str, documents: list[Any]) -> None:
    """As k8s.io/apimachinery and kyaml read them, but for documents that are empty."""
    assert kubernetes_yaml.parse_all(text.encode()) == documents


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"a: 1\n{MARK}b: 2", 2),
        (f"a: 1\n---\n# two\n{MARK}{TWO}", 4),
        (f"a: 1\n---\n\n{MARK}{TWO}", 4),
        (f"a: 1\n{MARK}---\n{TWO}", 2),
        (f'{{"a": 1}}\n{MARK}{{"b": 2}}', 2),
    ],
)
def test_a_byte_order_mark_elsewhere_is_refused_by_line(text: str, line: int) -> None:
    """Of these Go's parsers make a key with the mark in it, an error, or fewer documents."""
    with pytest.raises(ValueError, match=f"^line {line} begins with a byte order mark"):
        kubernetes_yaml.parse_all(text.encode())
