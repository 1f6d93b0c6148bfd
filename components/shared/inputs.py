"""From component arguments, which may be Outputs, to values that were checked.

Plain values are checked at once, before anything is registered. Outputs are checked as
soon as they are known, which for most is still during the preview.
"""

import difflib
import inspect
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any, TypeVar

import pulumi

from . import validation
from .errors import InvalidInputError

T = TypeVar("T")

_no_names: Mapping[str, str] = MappingProxyType({})
_spelling: ContextVar[Mapping[str, str]] = ContextVar("spelling", default=_no_names)


def checked(
    where: str,
    args: Mapping[str, Any],
    check: Callable[[dict[str, Any]], T],
    *,
    secret: Collection[str] = (),
) -> pulumi.Output[T]:
    """Return `check(args)` with every Output in `args` resolved.

    `where` names the component in errors. Arguments end up where many can read them: a Pulumi
    secret is refused in all but those that `secret` names.
    """

    return pulumi.Output.from_input(checked_input(where, args, check, secret=secret))


def checked_input(
    where: str,
    args: Mapping[str, Any],
    check: Callable[[dict[str, Any]], T],
    *,
    secret: Collection[str] = (),
) -> pulumi.Input[T]:
    """Like `checked`, but plain where all of `args` are, so that it, too, is checked at once."""

    def run(values: dict[str, Any]) -> T:
        return located(where, lambda: check(values))

    if _is_plain(args):
        return run(dict(args))
    gate = pulumi.Output.all(
        *(_refuse_secret(where, field, args[field]) for field in args if field not in secret)
    )
    return pulumi.Output.all(gate, dict(args)).apply(lambda known: run(known[1]))


def located(where: str, check: Callable[[], T]) -> T:
    """Run a check whose errors are to name the component `where`."""
    try:
        return check()
    except InvalidInputError as error:
        raise error.located(where).in_words_of(_spelling.get()) from None


@contextmanager
def spelled(names: Mapping[str, str]) -> Iterator[None]:
    """Let errors about components that are made in this context call arguments as `names` says.

    Checks of Outputs, which run later, inherit it from where they are asked for.
    """
    token = _spelling.set(names)
    try:
        yield
    except InvalidInputError as error:
        raise error.in_words_of(names) from None
    finally:
        _spelling.reset(token)


def reject_unknown(where: str, args: Mapping[str, Any], known: Collection[str]) -> None:
    """Refuse arguments that no one would read: a typo must not pass silently."""
    for field in args:
        if field not in known:
            close = difflib.get_close_matches(field, known, n=1)
            fix = f"did you mean {close[0]}" if close else f"use one of {', '.join(sorted(known))}"
            raise InvalidInputError(field, "is not an argument of this component", fix, where)


def plain_flag(where: str, args: Mapping[str, Any], field: str, *, default: bool) -> bool:
    """Return a boolean that decides which resources exist, and so cannot be an Output."""
    return located(where, lambda: validation.flag(field, args.get(field, default)))


def present(args: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that were given; None counts as not given, as in other languages."""
    return {field: value for field, value in args.items() if value is not None}


def pick(args: Mapping[str, Any], fields: Collection[str]) -> dict[str, Any]:
    """Return those of the arguments that are among `fields`."""
    return {field: value for field, value in args.items() if field in fields}


def _is_plain(value: object) -> bool:
    if isinstance(value, Mapping):
        return all(_is_plain(item) for item in value.values())
    if isinstance(value, list | tuple):
        return all(_is_plain(item) for item in value)
    return not isinstance(value, pulumi.Output) and not inspect.isawaitable(value)


def _refuse_secret(where: str, field: str, value: object) -> pulumi.Output[None]:
    def refuse(is_secret: bool) -> None:
        if is_secret:
            raise InvalidInputError(
                field,
                "holds a Pulumi secret, which many could read there in plain",
                "give the plugin what is secret as credentials, and nothing else as a secret",
                where,
            )

    output: pulumi.Output[object] = pulumi.Output.from_input(value)
    is_secret: pulumi.Output[bool] = pulumi.Output.from_input(output.is_secret())
    return is_secret.apply(refuse)
