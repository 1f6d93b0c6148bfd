"""The tokens of Go templates."""

import pytest

from plugin_image.renderer import go_templates


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("now", []),
        ("{{ now }}", ["now"]),
        ("{{now}}{{- date }}", ["now", "date"]),
        ("{{ .now }}{{ $now }}{{ $x.now }}{{ (f).now }}", ["f"]),
        ('{{ "now" }}{{ `now` }}{{ /* now */ }}', []),
        ("{{/* now {{ date }} */}}{{- /* it's\nnow */ -}}{{ a }}", ["a"]),
        ('{{ print "}}" now }}{{ print `}}` now }}', ["print", "now"] * 2),
        (r'{{ print "\"}}" now }}', ["print", "now"]),
        ("""{{ '"' }}{{ now }}{{ '"' }}""", ["now"]),
        (r"{{ '\'' }}{{ now }}", ["now"]),
        ("{{ now.Year }}{{ (now) }}{{ x|now }}", ["now", "now", "x", "now"]),
        ("{{ nowhere }}{{ nöw }}{{ x_now }}", ["nowhere", "nöw", "x_now"]),
        ("{{ range $i, $x := now }}", ["range", "now"]),
        ("{{\n  now\n  -}}", ["now"]),
        ("{ {now} }} now", []),
        ("{{{now}}}", ["now"]),
        ("{{ now", ["now"]),
    ],
)
def test_functions_of_an_action_are_named(text: str, expected: list[str]) -> None:
    actions = go_templates.ACTIONS.findall(text.encode())
    assert [name for action in actions for name in go_templates.functions(action)] == expected


def test_strings_of_an_action_are_their_values() -> None:
    action = rb"""{{ print "a\"b" `c\d` 'e' "" "unterminated }}"""
    assert [*go_templates.strings(action)] == [b'a"b', rb"c\d", b"e", b""]


@pytest.mark.parametrize("text", ["{{", '{{ "', "{{ `", "{{/* }}", "{{ x '"])
def test_text_that_go_refuses_takes_linear_time(text: str) -> None:
    actions = go_templates.ACTIONS.findall(text.encode() * 20_000)
    assert b"".join(actions) == text.encode() * 20_000
