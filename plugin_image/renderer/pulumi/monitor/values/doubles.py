"""Numbers, which travel as doubles: which integers these hold, and which they may stand for."""

from typing import Final

_LARGEST_SAFE: Final = 2**53 - 1
"""Beyond this one, not every integer is a double."""

_LARGEST_INTEGER: Final = 2**64
"""As a double; a larger number was never a 64-bit integer."""


def is_exact(number: int) -> bool:
    """Whether an integer is in the range of which doubles hold every one."""
    return abs(number) <= _LARGEST_SAFE


def may_be_rounded(number: float) -> bool:
    """Whether a number was perhaps another integer, of those that programs have."""
    return number.is_integer() and _LARGEST_SAFE < abs(number) <= _LARGEST_INTEGER


def meant(number: float) -> int | float:
    """Whole numbers are the integers that were meant, as far as that can be said."""
    return int(number) if number.is_integer() and abs(number) <= _LARGEST_SAFE else number
