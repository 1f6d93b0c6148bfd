"""Schedules of sync windows, as Argo CD parses them.

Source: robfig/cron v3 `parser.go`, with minute, hour, day of month, month and day of week.
"""

import re
import zoneinfo
from typing import Final

_SPACES: Final = "\\t-\\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_WORD: Final = re.compile(rf"[^{_SPACES}]+")
_ZONE: Final = re.compile(r"(?:CRON_)?TZ=([^ ]*) (.*)", re.DOTALL)
_INTEGER: Final = re.compile(r"[+-]?[0-9]+")
_INTEGER_MAX: Final = 2**63 - 1
_MONTHS: Final = (
    *("jan", "feb", "mar", "apr", "may", "jun"),
    *("jul", "aug", "sep", "oct", "nov", "dec"),
)
_DAYS: Final = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_PAIR: Final = 2

_Field = tuple[str, int, int, dict[str, int]]
_FIELDS: Final[tuple[_Field, ...]] = (
    ("minute", 0, 59, {}),
    ("hour", 0, 23, {}),
    ("day of the month", 1, 31, {}),
    ("month", 1, 12, {name: number for number, name in enumerate(_MONTHS, 1)}),
    ("day of the week", 0, 6, {name: number for number, name in enumerate(_DAYS)}),
)


def require_valid(schedule: str) -> None:
    """Raise a ValueError with the reason if Argo CD cannot parse the schedule."""
    words = _WORD.findall(_without_zone(schedule))
    if words and words[0].startswith("@"):
        raise ValueError("Argo CD takes no descriptors such as @daily")
    if len(words) != len(_FIELDS):
        raise ValueError(f"it has {len(words)} fields instead of {len(_FIELDS)}")
    for word, field in zip(words, _FIELDS, strict=True):
        ranges = [part for part in word.split(",") if part]
        if not ranges:
            raise ValueError(f"the {field[0]} is empty, so the window would be open at all times")
        for part in ranges:
            _require_range(part, field)


def is_zone(name: str) -> bool:
    """Return whether Go knows the time zone; it reads the same database."""
    known = zoneinfo.available_timezones()
    return not known or name in known or name in ("", "UTC", "Local")


def _without_zone(schedule: str) -> str:
    if not schedule.startswith(("TZ=", "CRON_TZ=")):
        return schedule
    match = _ZONE.fullmatch(schedule)
    if not match:
        raise ValueError("no schedule follows the time zone")
    if not is_zone(match[1]):
        raise ValueError(f"{match[1]!r} is not a time zone")
    return match[2]


def _require_range(part: str, field: _Field) -> None:
    name, least, most, names = field
    bounds, *steps = part.split("/")
    low, *highs = bounds.split("-")
    if len(steps) > 1:
        raise ValueError(f"{part!r} has more than one step")
    if steps and _number(steps[0]) == 0:
        raise ValueError(f"{part!r} has a step of zero")
    if low in ("*", "?"):
        return
    start = _number(low, names)
    if len(highs) >= _PAIR:
        raise ValueError(f"{part!r} has more than one hyphen")
    end = _number(highs[0], names) if highs else most if steps else start
    if start < least or end > most:
        raise ValueError(f"{part!r} is outside of {least} to {most}, the range of the {name}")
    if start > end:
        raise ValueError(f"{part!r} begins after its end")


def _number(word: str, names: dict[str, int] | None = None) -> int:
    if names and word.lower() in names:
        return names[word.lower()]
    number = int(word) if _INTEGER.fullmatch(word) else -1
    if not 0 <= number <= _INTEGER_MAX:
        raise ValueError(f"{word!r} is not a number that can stand there")
    return number
