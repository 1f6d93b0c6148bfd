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


def to_svg(report: Mapping[str, Any]) -> str:
    """One bar for each median. Bars start at 10 ms, and equal steps are equal ratios."""
    longest = max(
        result["median_seconds"]
        for times in report["results"].values()
        for result in times.values()
    )
    rows = list(_rows(report["results"], longest))
    height = len(rows) * _ROW + 16
    body = "\n".join(row.format(y=index * _ROW + 16) for index, row in enumerate(rows))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
        f'font-family="sans-serif" font-size="13">\n'
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>\n{body}\n</svg>\n'
    )


def _rows(results: Mapping[str, Mapping[str, Any]], longest: float) -> Iterator[str]:
    """Each row with a place for its y."""
    for title, times in results.items():
        yield f'<text x="12" y="{{y}}" dy="4" font-weight="bold">{title}</text>'
        for name, result in times.items():
            yield _bar(name, result["median_seconds"], longest)


def _bar(name: str, seconds: float, longest: float) -> str:
    scale = (_WIDTH - _LABELS - 80) / math.log(longest / _SHORTEST)
    length = max(1.0, scale * math.log(seconds / _SHORTEST))
    colour = _COLOURS.get(name, _OTHERS)
    return (
        f'<g transform="translate(0 {{y}})">'
        f'<text x="28" dy="4" fill="{_TEXT}">{name}</text>'
        f'<rect x="{_LABELS}" y="-8" width="{length:.1f}" height="15" fill="{colour}"/>'
        f'<text x="{_LABELS + length + 8:.1f}" dy="4" fill="{_TEXT}">{seconds:.2f} s</text></g>'
    )
