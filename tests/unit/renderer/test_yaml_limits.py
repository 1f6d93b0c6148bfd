"""A text that stands for more than memory holds is refused, by either parser, at once."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from plugin_image.renderer import documents, kubernetes_yaml

PARSERS = [documents.parse, kubernetes_yaml.parse_all]
LAUGHS = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 10)
)
MERGES = "a0: &a0 {x: 1}\n" + "".join(
    f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 10)}]}}\n" for n in range(1, 10)
)
MANY_ALIASES = "a: &a [" + "x, " * 1000 + "x]\n" + "".join(f"b{n}: *a\n" for n in range(5000))

TOO_MUCH: dict[str, tuple[str | bytes, str]] = {
    "aliases of aliases": (LAUGHS, "more than 1000000 values"),
    "merges of merges": (MERGES, "more than 1000000 values"),
    "thousands of aliases": (MANY_ALIASES, "more than 1000000 values"),
    "an alias of what it is in": ("a: &a [*a]\n", "has an alias of what it is in"),
    "an alias of what it is in, deep": ("a: &a {b: {c: [*a]}}\n", "has an alias of what it is in"),
    "deep lists": ("a: " + "[" * 100_000, "levels deep|cannot|depth|nesting"),
    "deep lists that end": ("a: " + "[" * 500 + "]" * 500, "line 1 is nested more than 200 levels"),
    "deep maps": ("a: " + "{a: " * 100_000, "levels deep|cannot|depth|nesting"),
    "deep JSON": ('{"a": ' * 50_000 + "1" + "}" * 50_000, "levels deep|cannot|depth|nesting"),
    "deep lists in one line": ("- " * 100_000 + "a", "levels deep"),
    "deep maps in blocks": ("".join(" " * n + "a:\n" for n in range(300)), "levels deep"),
    "deep lists below their keys": (
        "".join(" " * n + "a:\n" + " " * n + "- b\n" + " " * n + "-\n" for n in range(120)),
        "levels deep",
    ),
    "deep keys": ("? " * 100_000 + "a", "levels deep"),
    "deep lists, hidden by texts": (
        'a: "]]]]]]]]]]"\nb: ' + "[ ']]]', " * 300 + "1" + "]" * 300,
        "levels deep",
    ),
    "deep lists in a later document": (
        "a: 1\n---\nb: " + "[" * 500 + "]" * 500,
        "levels deep|single",
    ),
    "deep lists in UTF-16": (("a: " + "[" * 500 + "]" * 500).encode("utf-16"), "levels deep"),
}


@pytest.mark.parametrize("parse", PARSERS)
@pytest.mark.parametrize("name", TOO_MUCH)
def test_is_refused(name: str, parse: Callable[[bytes], Any]) -> None:
    text, reason = TOO_MUCH[name]
    started = time.process_time()
    with pytest.raises(ValueError, match=reason):
        parse(text if isinstance(text, bytes) else text.encode())
    assert time.process_time() - started < 15


@pytest.mark.parametrize("parse", PARSERS)
@pytest.mark.parametrize(
    "text",
    [
        "a: " + "[" * 198 + "]" * 198,
        "a: &a {x: 1}\nb: *a\nc: [*a, *a]\n",
        "a: &a {x: 1}\nb: {<<: *a}\n",
        "a: [" + "{}, " * 1000 + "]",
        "a: |\n" + " " * 200 + "text\n",
        "a: '" + "[" * 1000 + "'",
    ],
)
def test_what_is_ordinary_is_read(text: str, parse: Callable[[bytes], Any]) -> None:
    assert parse(text.encode())


@pytest.mark.parametrize("parse", PARSERS)
def test_a_large_document_without_aliases_is_read(parse: Callable[[bytes], Any]) -> None:
    assert parse("".join(f"key{n}: [a, b]\n" for n in range(10_000)).encode())
