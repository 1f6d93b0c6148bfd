"""Follows what a Python program does with secrets that cannot be read.

It has placeholders for them (`monitor.values.unreadable`), which are found in whatever holds
them. So a program may pass them on; it may not decide by them, or make something of them in which
they are lost. As a plain string it could do so anywhere; as an output only in a callback, and
what that returns is looked at. Runs in the program's own interpreter.
"""

import sys
from collections.abc import Callable
from contextvars import ContextVar
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import pulumi
from pulumi import config

from ..monitor.recording import Report
from ..monitor.run_context import Unreadable
from ..monitor.values import unreadable as placeholders

_OF_SDKS = ("pulumi.", "pulumi_")
"""How the names of modules begin that pass on what they are given."""

_READS: dict[str, Callable[[str], bool]] = {
    "secret": lambda _: True,
    "secret_object": lambda value: value.lstrip()[:1] in ("{", "["),
}
"""How a program may read a placeholder, by the name of the method without `get` and `require`."""

_may_have: ContextVar[Callable[[str], bool]] = ContextVar("_may_have", default=lambda _: False)
"""Whether the method that is reading may have a value that holds a placeholder."""


def follow(unreadable: Unreadable, report: Report, root: str) -> None:
    """Refuse what the program could do unseen; its files are below `root`."""
    follower = _Follower(unreadable, report, root)
    _refuse_values_that_are_needed(follower)
    _look_at_callbacks(follower)


class _Follower:
    def __init__(self, unreadable: Unreadable, report: Report, root: str) -> None:
        self._unreadable = unreadable
        self._report = report
        self._root = root

    def refuse_need(self, number: int) -> NoReturn:
        self._refuse(*self._unreadable.needed(number))

    def refuse_lost(self, number: int, place: str) -> NoReturn:
        self._refuse(*self._unreadable.lost(number, place))

    def _refuse(self, summary: str, fix: str) -> NoReturn:
        self._report({"refusal": (summary, fix)})
        raise RuntimeError(summary)

    def place(self, caller: FrameType) -> str:
        """The line of the program that is running, or nothing in the code of others."""
        file = Path(caller.f_code.co_filename).absolute()
        if not file.is_relative_to(self._root):
            return ""
        return f"{file.relative_to(self._root)}:{caller.f_lineno}"


def _refuse_values_that_are_needed(follower: _Follower) -> None:
    # What the methods of Config read by.
    read = config.get_config  # type: ignore[attr-defined]

    def reading(key: str) -> Any:
        value = read(key)
        number = placeholders.find(value) if isinstance(value, str) else None
        if number is not None and not _may_have.get()(value):
            follower.refuse_need(number)
        return value

    config.get_config = reading  # type: ignore[attr-defined,assignment]
    for name, predicate in _READS.items():
        _mark(f"get_{name}", predicate)
        _mark(f"require_{name}", predicate)


def _mark(name: str, predicate: Callable[[str], bool]) -> None:
    method = getattr(pulumi.Config, name)

    def reading(self: pulumi.Config, *args: Any, **kwargs: Any) -> Any:
        token = _may_have.set(predicate)
        try:
            return method(self, *args, **kwargs)
        finally:
            _may_have.reset(token)

    setattr(pulumi.Config, name, reading)


def _is_part_of_text(value: Any, result: Any) -> bool:
    """Whether the SDK has taken a string apart, and not a structure that holds one."""
    return isinstance(value, str) and isinstance(result, (str, int))


def _look_at_callbacks(follower: _Follower) -> None:
    apply = pulumi.Output.apply

    def applying(self: Any, func: Callable[[Any], Any], *args: Any, **kwargs: Any) -> Any:
        caller = sys._getframe(1)
        of_sdk = f"{caller.f_globals.get('__name__')}.".startswith(_OF_SDKS)
        place = follower.place(caller)

        def looking(value: Any) -> Any:
            result = func(value)
            number = placeholders.find_in(value)
            if number is None or placeholders.find_in(result) is not None:
                return result
            if of_sdk and not _is_part_of_text(value, result):
                return result

            def settled(whole: Any) -> Any:
                if placeholders.find_in(whole) is None:
                    follower.refuse_lost(number, place)
                return whole

            return apply(pulumi.Output.from_input(result), settled)

        return apply(self, looking, *args, **kwargs)

    pulumi.Output.apply = applying  # type: ignore[method-assign]
