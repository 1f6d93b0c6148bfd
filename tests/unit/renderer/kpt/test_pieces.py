"""Kpt reads a text to its end, or somebody says where it would stop."""

import pytest

from plugin_image.renderer.kpt import pieces

OBJECT = "apiVersion: v1\nkind: X\nmetadata: {name: a}\n"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# nothing\n",
        OBJECT,
        f"---\n{OBJECT}",
        f"{OBJECT}---\n{OBJECT}",
        f"{OBJECT}---\n---\n# more\n---\n{OBJECT}---",
        f"{OBJECT}--- # two\n{OBJECT}",
        f"{OBJECT}...\n",
        f"{OBJECT}...\n---\n{OBJECT}",
        f"{OBJECT}---\n{OBJECT}".replace("\n", "\r\n"),
        "\ufeff" + OBJECT,
        f"{OBJECT}---\n\ufeff{OBJECT}",
        f"{OBJECT}data:\n  text: |\n    ...\n    ---\n    more\n",
        '{"a": 1}\n',
        '{\n\t"a": [1, "\\u00e9\\/"]\n}\n',
        "a: &a [1]\nb: *a\n",
        "a: !custom {b: c}\n",
    ],
)
def test_what_kpt_reads_to_its_end_is_let_through(text: str) -> None:
    assert pieces.unread(text.encode()) == ""


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"{OBJECT}...\n{OBJECT}", 5),
        (f"{OBJECT}---\n{OBJECT}...\n{OBJECT}", 9),
        ('{"a": 1}\n{"b": 2}\n', 2),
        ('{"a": 1} {"b": 2}\n', 1),
        ('{"a": 1},\n', 1),
        ("  a: 1\nb: 2\n", 2),
        ("a: 1\r---\rb: 2\r", 2),
        ("a: 1\u2028---\u2028b: 2\n", 2),
        (f"{OBJECT}--- {{b: 2}}", 4),
        ("a: [\n", 2),
    ],
)
def test_where_kpt_would_stop_is_said_by_line(text: str, line: int) -> None:
    assert pieces.unread(text.encode()).startswith(f"line {line}: ")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "latin-1"])
def test_what_is_not_utf_8_is_not_read_to_its_end(encoding: str) -> None:
    assert pieces.unread("a: é\n---\nb: 1\n".encode(encoding))
