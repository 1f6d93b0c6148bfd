"""What was measured as pictures in SVG: medians as bars, memory over time as a line."""

import math
from collections.abc import Iterator, Mapping, Sequence
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
_HEIGHT = 300
_MARGIN = 60
"""Around a line, for what its axes say."""
_MOST_TICKS = 8


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
    return _svg(height, f"{_axis(longest, height)}\n{body}")


def memory_over_time(samples: Sequence[tuple[float, int]]) -> str:
    """A line through seconds and bytes, above an axis of seconds and beside one of megabytes."""
    megabytes = [size / 1e6 for _, size in samples]
    across, up = _ticks(max(seconds for seconds, _ in samples)), _ticks(max(megabytes))
    right, bottom = _WIDTH - _MARGIN, _HEIGHT - _MARGIN

    def x(seconds: float) -> float:
        return _MARGIN + (right - _MARGIN) * seconds / across[-1]

    def y(size: float) -> float:
        return bottom - (bottom - _MARGIN / 2) * size / up[-1]

    points = " ".join(
        f"{x(seconds):.1f},{y(size):.1f}"
        for (seconds, _), size in zip(samples, megabytes, strict=True)
    )
    lines = [
        *(_line(x(tick), _MARGIN / 2, x(tick), bottom) for tick in across),
        *(_line(_MARGIN, y(tick), right, y(tick)) for tick in up),
        *(_label(x(tick), bottom + 20, f"{tick:g}", "middle") for tick in across),
        *(_label(_MARGIN - 8, y(tick) + 4, f"{tick:g}", "end") for tick in up),
        _label(right, bottom + 42, "seconds", "end"),
        _label(_MARGIN - 8, 16, "MB", "end"),
        f'<polyline points="{points}" fill="none" stroke="{_COLOURS[contestants.NATIVE]}"/>',
    ]
    return _svg(_HEIGHT, "\n".join(lines))


def _svg(height: int, body: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
        f'font-family="sans-serif" font-size="13">\n'
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>\n{body}\n</svg>\n'
    )


def _ticks(longest: float) -> list[float]:
    """Round numbers from zero on, the last of which is no less than this."""
    power = 10.0 ** math.floor(math.log10(longest / _MOST_TICKS))
    step = next(power * f for f in (1, 2, 5, 10) if longest / (power * f) <= _MOST_TICKS)
    return [step * number for number in range(math.ceil(longest / step) + 1)]


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line {ends} stroke="{_LINES}"/>'


def _label(x: float, y: float, text: str, anchor: str) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text {place} fill="{_TEXT}">{text}</text>'


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
