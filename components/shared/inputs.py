"""From component arguments, which may be Outputs, to values that were checked.

Plain values are checked at once, before anything is registered. Outputs are checked as
soon as they are known, which for most is still during the preview.
"""

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any, NotRequired, TypeVar, get_args, get_origin

import pulumi

from . import spelling, validation
from .errors import InvalidInputError

T = TypeVar("T")

_no_names: Mapping[str, str] = MappingProxyType({})
_spelling: ContextVar[Mapping[str, str]] = ContextVar("spelling", default=_no_names)

Refusal = Callable[[InvalidInputError], Exception]
"""Makes of an error what whoever waits for it can show."""


def as_it_is(error: InvalidInputError) -> Exception:
    """Return the error for Pulumi's SDK for Python, which shows its message alone."""
    return error


_refusal: ContextVar[Refusal] = ContextVar("refusal", default=as_it_is)


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
        told = error.located(where).in_words_of(_spelling.get())
        raise _refusal.get()(told) from None


@contextmanager
def spelled(names: Mapping[str, str], refusal: Refusal = as_it_is) -> Iterator[None]:
    """Let errors about components that are made in this context call arguments as `names` says.

    `refusal` makes of each what is raised. Checks of Outputs, which run later, inherit both from
    where they are asked for.
    """
    token, refusing = _spelling.set(names), _refusal.set(refusal)
    try:
        yield
    except InvalidInputError as error:
        raise error.in_words_of(names) from None
    finally:
        _spelling.reset(token)
        _refusal.reset(refusing)


def given(where: str, args: object, args_type: type) -> dict[str, Any]:
    """Return the arguments that were given, whose values are still to be checked.

    Refuses what is no collection of arguments, arguments that `args_type` does not have, and
    an Output where it declares a plain value. `where` names the component in errors.
    """
    if not isinstance(args, Mapping):
        problem = f"must be the arguments by their names, found {type(args).__name__}"
        raise InvalidInputError("args", problem, "write a dict, as {…}", where)
    found = present(args)
    known = args_type.__annotations__
    reject_unknown(where, found, known)
    for field, value in found.items():
        if isinstance(value, pulumi.Output) and _is_plain_value(known[field]):
            problem = "is an Output, but which resources there are must not depend on others"
            raise InvalidInputError(field, problem, "give a plain value, not a secret", where)
    return found


def reject_unknown(where: str, args: Collection[str], known: Collection[str]) -> None:
    """Refuse arguments that no one would read: a typo must not pass silently."""
    for field in args:
        if field not in known:
            problem = "is not an argument of this component"
            raise InvalidInputError(str(field), problem, spelling.meant(field, known), where)


def _is_plain_value(annotation: object) -> bool:
    if get_origin(annotation) is NotRequired:
        (annotation,) = get_args(annotation)
    return annotation in (str, bool, int)


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
            located(where, lambda: _no_secret(field))

    output: pulumi.Output[object] = pulumi.Output.from_input(value)
    is_secret: pulumi.Output[bool] = pulumi.Output.from_input(output.is_secret())
    return is_secret.apply(refuse)


def _no_secret(field: str) -> None:
    problem = "holds a Pulumi secret, which many could read there in plain"
    fix = "give the plugin what is secret as credentials, and nothing else as a secret"
    raise InvalidInputError(field, problem, fix)
