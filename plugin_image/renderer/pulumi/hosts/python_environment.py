"""Tells the renderer which variables a Python program looks up that are not set.

What libraries look up is their own business. Runs in the program's own interpreter, and imports
nothing but the standard library.
"""

import os
import sys
from collections import abc
from pathlib import Path
from typing import Any

from ..monitor.recording import Report

_ENVIRONMENT = type(os.environ)
_LOOKS_UP = frozenset(function.__code__.co_filename for function in (os.getenv, abc.Mapping.get))
"""The files between a program and its environment: `os.getenv`, `get`, `in`."""


def tell(report: Report, root: str) -> None:
    """Report each variable that code below `root` looks up in vain, once for each place."""
    look_up = _ENVIRONMENT.__getitem__
    told: set[tuple[str, str]] = set()

    def looking_up(self: Any, key: Any) -> Any:
        try:
            return look_up(self, key)
        except KeyError:
            place = _place(root)
            if place and (key, place) not in told:
                told.add((key, place))
                report({"unset": (key, place)})
            raise

    _ENVIRONMENT.__getitem__ = looking_up  # type: ignore[method-assign]


def _place(root: str) -> str:
    """The line that looks a variable up, or nothing in the code of others."""
    frame = sys._getframe(2)
    while frame.f_back and frame.f_code.co_filename in _LOOKS_UP:
        frame = frame.f_back
    file = Path(frame.f_code.co_filename).absolute()
    if not file.is_relative_to(root) or "site-packages" in file.parts:
        return ""
    return f"{file.relative_to(root)}:{frame.f_lineno}"
