"""The strings that carry Pulumi's mark of a secret."""

from collections.abc import Iterator
from typing import Any

from .monitor.recording import Recording
from .monitor.values import wire


def secrets_of(recording: Recording) -> Iterator[str]:
    """Every string that the program marked as secret in an object."""
    for registration in recording.registrations:
        yield from _marked(registration.object, inside=False)


def given_to_the_provider(recording: Recording) -> Iterator[str]:
    """Every string that is marked as secret in what a release, a chart or YAML is made from.

    Neither Helm nor the provider knows marks, so these have to be looked for in what they make.
    """
    for given in (*(release.inputs for release in recording.releases), *recording.given):
        yield from _marked(given, inside=False)


def texts_in(value: Any) -> Iterator[str]:
    """Every string and number in a value, which is secret as a whole."""
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
