"""Takes secret values out of what people read: Argo CD shows stderr to all who see the app."""

import base64
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import quote

from plugin_image.renderer.pulumi.monitor import wire
from plugin_image.renderer.pulumi.monitor.recording import Recording

_SHORTEST = 4
"""Shorter secrets are left: taking out every `1` would leave no text."""

REPLACEMENT = "[secret]"


def redact(text: str, secrets: Iterable[str]) -> str:
    """`text` without the secrets, also where they are encoded or spread over lines."""
    forms = {form for secret in secrets for form in _forms(secret) if len(form) >= _SHORTEST}
    if not forms:
        return text
    longest_first = sorted(forms, key=len, reverse=True)
    return re.sub("|".join(map(re.escape, longest_first)), REPLACEMENT, text)


def secrets_of(recording: Recording) -> Iterator[str]:
    """Every text that the program marked as secret."""
    for registration in recording.registrations:
        yield from _marked(registration.object, inside=False)


def texts_in(value: Any) -> Iterator[str]:
    """Every text and number in a value, which is secret as a whole."""
    yield from _marked(value, inside=True)


def _marked(node: Any, *, inside: bool) -> Iterator[str]:
    if wire.is_secret(node):
        yield from _marked(wire.reveal(node), inside=True)
    elif isinstance(node, dict):
        for value in node.values():
            yield from _marked(value, inside=inside)
    elif isinstance(node, list):
        for value in node:
            yield from _marked(value, inside=inside)
    elif inside and isinstance(node, (str, int, float)) and not isinstance(node, bool):
        yield str(node)


def _forms(secret: str) -> Iterator[str]:
    """How a secret may appear: as it is, as JSON or URL text, as base64, and line by line."""
    yield secret
    yield json.dumps(secret)[1:-1]
    yield repr(secret)[1:-1]
    yield quote(secret, safe="")
    yield base64.b64encode(secret.encode()).decode()
    yield from secret.splitlines()
