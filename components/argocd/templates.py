"""Arguments that are Go templates, which the generators of an ApplicationSet fill in."""

from collections.abc import Callable
from typing import TypeVar

from ..shared import validation

T = TypeVar("T")
Check = Callable[[str, object], str]


def is_template(value: object) -> bool:
    """Tell whether the value is a string with a template in it."""
    return isinstance(value, str) and "{{" in value


def unless_template(check: Check) -> Check:
    """Return a check that lets a line with a template pass, as what comes of it is not known."""

    def checked(field: str, value: object) -> str:
        return (validation.line if is_template(value) else check)(field, value)

    return checked
