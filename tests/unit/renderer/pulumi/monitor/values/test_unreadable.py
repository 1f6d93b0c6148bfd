"""A placeholder is found in whatever holds it, and nothing else is taken for one."""

import base64
import dataclasses
import json
from collections.abc import Callable
from typing import Any

import pytest
from pulumi_kubernetes.core.v1 import SecretArgs

from plugin_image.renderer.pulumi.monitor.values import unreadable

TEXT = unreadable.placeholder(7)


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def credentials(text: str) -> str:
    """Of a registry, as `.dockerconfigjson` has them."""
    return encoded(json.dumps({"auths": {"h": {"auth": encoded(f"user:{text}")}}}))


@dataclasses.dataclass
class _Login:
    password: str


HOLDING: list[Callable[[str], Any]] = [
    str,
    str.upper,
    str.capitalize,
    "postgres://user:{}@db/shop?ssl=1".format,
    encoded,
    *(lambda text, n=n: encoded("x" * n + text) for n in (1, 2)),
    lambda text: encoded(text.upper()),
    lambda text: f"Basic/{encoded(text)}",
    lambda text: base64.urlsafe_b64encode(f"ÿþ{text}".encode()).decode(),
    lambda text: base64.encodebytes(("x" * 50 + text).encode()).decode(),
    credentials,
    lambda text: text.encode().hex(),
    lambda text: encoded(text.encode().hex().upper()),
    lambda text: text.encode(),
    lambda text: {"a": [1, None, (text,)]},
    lambda text: {text: 1},
    _Login,
    lambda text: SecretArgs(string_data={"a": text}),
]


@pytest.mark.parametrize("hold", HOLDING)
def test_a_placeholder_is_found(hold: Callable[[str], Any]) -> None:
    assert unreadable.find_in(hold(TEXT)) == 7


@pytest.mark.parametrize("hold", HOLDING)
def test_nothing_else_is(hold: Callable[[str], Any]) -> None:
    assert unreadable.find_in(hold("hunter2-hunter2")) is None
    assert unreadable.find_in(hold(TEXT[:-2])) is None


def test_nothing_decodes_it() -> None:
    for decode in (base64.b64decode, base64.urlsafe_b64decode, bytes.fromhex):
        with pytest.raises(ValueError):
            decode(TEXT)


def test_a_value_that_holds_itself_is_looked_at_once() -> None:
    value: list[Any] = [TEXT]
    value.insert(0, value)
    assert unreadable.find_in(value) == 7


def test_messages_name_what_it_stands_for() -> None:
    assert unreadable.replace(f"not {TEXT}", {7: "it"}) == "not it"
    assert unreadable.replace(f"not {TEXT}", {}) == f"not {TEXT}"
