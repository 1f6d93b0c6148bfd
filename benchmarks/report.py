"""What was measured, as data, as a table and beside the goals."""

import os
import platform
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks import contestants
from benchmarks.measure import Memory, Sample
from benchmarks.workspace import MANY_OBJECTS, PROGRAMS, Program

Samples = Mapping[str, Mapping[str, Sequence[Sample]]]
"""Per program or other heading, per contestant."""

_MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Goal:
    """A bound that was set for a number that was measured."""

    text: str
    value: float
    at_most: float | None = None
    at_least: float | None = None
    by_cpu: float | None = None
    """The same ratio of processor times, which is no goal."""

    @property
    def met(self) -> bool:
        """Whether the number is within the bound."""
        return (self.at_most is None or self.value <= self.at_most) and (
            self.at_least is None or self.value >= self.at_least
        )

    @property
    def bound(self) -> str:
        """The bound in words."""
        return f"≤ {self.at_most:g}" if self.at_most is not None else f"≥ {self.at_least:g}"


def median(samples: Sequence[Sample]) -> float:
    """The median time by the clock."""
    return statistics.median(sample.seconds for sample in samples)


def median_cpu(samples: Sequence[Sample]) -> float:
    """The median processor time: on a busy machine it varies less than the clock's."""
    return statistics.median(sample.cpu_seconds for sample in samples)


def goals(samples: Samples, memory: Memory) -> Iterator[Goal]:
    """The goals that were set, each with what came of it."""
    for program in PROGRAMS:
        times = samples[program.title]
        yield _ratio(program, times, contestants.NATIVE, contestants.FLOOR, at_most=1.15)
        yield _ratio(program, times, contestants.PULUMI_UP, contestants.NATIVE, at_least=2.5)
        yield _ratio(program, times, contestants.ORIGINAL, contestants.NATIVE, at_least=4)
    times = samples[MANY_OBJECTS.title]
    yield _ratio(MANY_OBJECTS, times, contestants.NATIVE, contestants.FLOOR, at_most=1.3)
    beyond = (memory.peak_bytes - memory.output_bytes) / _MEGABYTE
    yield Goal(f"{MANY_OBJECTS.title}: renderer's peak memory - output, MB", beyond, at_most=100)


def _ratio(
    program: Program,
    times: Mapping[str, Sequence[Sample]],
    one: str,
    other: str,
    *,
    at_most: float | None = None,
    at_least: float | None = None,
) -> Goal:
    return Goal(
        f"{program.title}: {one} / {other}",
        median(times[one]) / median(times[other]),
        at_most=at_most,
        at_least=at_least,
        by_cpu=median_cpu(times[one]) / median_cpu(times[other]),
    )


def to_json(
    samples: Samples, memory: Memory, loads: tuple[float, float], rounds: int
) -> dict[str, Any]:
    """Everything, for machines."""
    return {
        "machine": {
            "system": platform.platform(),
            "cores": os.cpu_count(),
            "python": platform.python_version(),
            "load_before_and_after": loads,
        },
        "rounds": rounds,
        "contestants": contestants.DESCRIPTIONS,
        "results": {
            title: {
                name: {
                    "median_seconds": round(median(times[name]), 4),
                    "median_cpu_seconds": round(median_cpu(times[name]), 4),
                    "seconds": [round(s.seconds, 4) for s in times[name]],
                }
                for name in contestants.titles(times)
            }
            for title, times in samples.items()
        },
        "memory": {"peak_bytes": memory.peak_bytes, "output_bytes": memory.output_bytes},
        "goals": [
            {
                "goal": g.text,
                "bound": g.bound,
                "value": round(g.value, 3),
                "by_cpu": g.by_cpu and round(g.by_cpu, 3),
                "met": g.met,
            }
            for g in goals(samples, memory)
        ],
    }


def table(report: Mapping[str, Any]) -> str:
    """The report in lines for people."""
    lines = []
    for title, times in report["results"].items():
        first = next(iter(times.values()))["median_seconds"]
        lines.append(f"\n{title:34} {'median':>9} {'CPU':>9} {'ratio':>8}")
        for name, result in times.items():
            seconds, cpu = result["median_seconds"], result["median_cpu_seconds"]
            lines.append(f"  {name:32} {seconds:7.3f} s {cpu:7.3f} s {seconds / first:7.2f}x")
    memory = report["memory"]
    peak, output = (memory[key] / _MEGABYTE for key in ("peak_bytes", "output_bytes"))
    lines.append(f"\nPeak memory of the renderer's process: {peak:.1f} MB for {output:.1f} MB out")
    lines.append(f"\n{'Goal':62} {'bound':>7} {'is':>7} {'by CPU':>7}")
    for goal in report["goals"]:
        met = "met" if goal["met"] else "NOT MET"
        by_cpu = f"{goal['by_cpu']:7.2f}" if goal["by_cpu"] else f"{'':7}"
        lines.append(f"  {goal['goal']:60} {goal['bound']:>7} {goal['value']:7.2f} {by_cpu}  {met}")
    before, after = report["machine"]["load_before_and_after"]
    cores = report["machine"]["cores"]
    lines.append(f"\n{report['rounds']} rounds; load {before:.1f} to {after:.1f} on {cores} cores")
    return "\n".join(lines)
