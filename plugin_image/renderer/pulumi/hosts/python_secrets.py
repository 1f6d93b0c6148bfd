"""Tells the renderer what a Python program calls secret, for its messages.

A value that no resource gets is never registered: `Output.secret(x).apply(fail)`. Runs in the
program's own interpreter, and uses only what is public of the SDK.
"""

import json
from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import Any

import pulumi

from ..monitor.recording import Report


def tell(report: Report, known: Iterable[str]) -> None:
    """Report each string as soon as the program marks it, or uses it in an `apply`.

    `known` are values of the configuration, whose secret parts the renderer knows.
    """
    secret, apply = pulumi.Output.secret, pulumi.Output.apply
    told = {text for value in known for text in _texts(_structure(value))}

    def note(*texts: str) -> None:
        new = set(texts) - told
        if new:
            told.update(new)
            report({"secrets": sorted(new)})

    def noting_secret(val: Any) -> Any:
        note(*_texts(val))
        return secret(val)

    def noting_apply(self: Any, func: Callable[[Any], Any], *args: Any, **kwargs: Any) -> Any:
        def noting(value: Any) -> Any:
            if isinstance(value, str) and value not in told and _at_hand(self.is_secret()):
                note(value)
            return func(value)

        return apply(self, noting, *args, **kwargs)

    pulumi.Output.secret = staticmethod(noting_secret)  # type: ignore[method-assign]
    pulumi.Output.apply = noting_apply  # type: ignore[method-assign]


def _at_hand(result: Awaitable[Any]) -> Any:
    """The result of an awaitable with nothing to wait for, like that of a value already there."""
    try:
        next(iter(result.__await__()))
    except StopIteration as end:
        return end.value
    return None


def _structure(value: str) -> Any:
    """What a string spells in JSON, or None."""
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None


def _texts(value: Any) -> Iterator[str]:
    """The strings in a plain value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _texts(part)
