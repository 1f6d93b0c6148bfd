"""The report as a picture: bars on a logarithmic scale, drawn as SVG."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from benchmarks import contestants

_WIDTH = 820
_LABELS = 290
_ROW = 22
_SHORTEST = 0.01
_COLOURS = {contestants.NATIVE: "#2f6fde", contestants.FLOOR: "#8fb3f0"}
_OTHERS = "#b8bcc4"
_TEXT = "#5b6270"
_LINES = "#dfe2e8"
_TOP = 40
"""Where the first row is, below the axis."""


def to_svg(report: Mapping[str, Any]) -> str:
    """One bar for each median. Bars start at 10 ms, and equal steps are equal ratios."""
    longest = max(
        result["median_seconds"]
        for times in report["results"].values()
        for result in times.values()
    )
    rows = list(_rows(report["results"], longest))
    height = len(rows) * _ROW + _TOP
    body = "\n".join(row.format(y=index * _ROW + _TOP) for index, row in enumerate(rows))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
        f'font-family="sans-serif" font-size="13">\n'
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>\n'
        f"{_axis(longest, height)}\n{body}\n</svg>\n"
    )


def _axis(longest: float, height: int) -> str:
    """A labelled line for each power of ten: the scale is logarithmic."""
    seconds = [_SHORTEST * 10**power for power in range(6) if _SHORTEST * 10**power <= longest]
    return "\n".join(
        f'<g transform="translate({_LABELS + _length(tick, longest):.1f} 0)">'
        f'<line y1="20" y2="{height}" stroke="{_LINES}"/>'
        f'<text y="14" text-anchor="middle" fill="{_TEXT}">{tick:g} s</text></g>'
        for tick in seconds
    )


def _rows(results: Mapping[str, Mapping[str, Any]], longest: float) -> Iterator[str]:
    """Each row with a place for its y."""
    for title, times in results.items():
        yield f'<text x="12" y="{{y}}" dy="4" font-weight="bold">{title}</text>'
        for name, result in times.items():
            yield _bar(name, result["median_seconds"], longest)


def _bar(name: str, seconds: float, longest: float) -> str:
    length = max(1.0, _length(seconds, longest))
    colour = _COLOURS.get(name, _OTHERS)
    return (
        f'<g transform="translate(0 {{y}})">'
        f'<text x="28" dy="4" fill="{_TEXT}">{name}</text>'
        f'<rect x="{_LABELS}" y="-8" width="{length:.1f}" height="15" fill="{colour}"/>'
        f'<text x="{_LABELS + length + 8:.1f}" dy="4" fill="{_TEXT}">{seconds:.2f} s</text></g>'
    )


def _length(seconds: float, longest: float) -> float:
    return (_WIDTH - _LABELS - 80) * math.log(seconds / _SHORTEST) / math.log(longest / _SHORTEST)
