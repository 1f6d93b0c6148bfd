"""`python -m benchmarks [--quick] [--output FILE]`."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks import contestants, plot, report
from benchmarks.measure import Contestant, Memory, Sample, peak_memory, time_run
from benchmarks.workspace import MANY_OBJECTS, PROGRAMS, ROOT, Workspace

_ROUNDS = 9
_QUICK_ROUNDS = 3
_MEMORY_RUNS = 3
_BUILD = ROOT / "build"


def main() -> None:
    """Measure, print the table, and write the report and the plot beside it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few rounds, for a first look")
    parser.add_argument("--output", type=Path, default=_BUILD / "benchmarks.json", metavar="FILE")
    arguments = parser.parse_args()
    rounds = _QUICK_ROUNDS if arguments.quick else _ROUNDS
    kept = _BUILD / "benchmarks-cache"
    kept.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="benchmarks-") as folder:
        # First of all: installing ends every process that the installer has left behind.
        workspace = Workspace(Path(folder), kept)
        before = os.getloadavg()[0]
        with _echo_monitor() as monitor:
            samples, memory = _measure(workspace, monitor, rounds)
    measured = report.to_json(samples, memory, (before, os.getloadavg()[0]), rounds)
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(json.dumps(measured, indent=1, ensure_ascii=False) + "\n")
    arguments.output.with_suffix(".svg").write_text(plot.to_svg(measured))
    print(report.table(measured))
    print(f"Written to {arguments.output}, with a plot beside it.")


def _measure(
    workspace: Workspace, monitor: str, rounds: int
) -> tuple[dict[str, dict[str, list[Sample]]], Memory]:
    """Every contestant once a round, after one round that does not count."""
    entrants: list[tuple[str, Contestant]] = [
        (program.title, contestant)
        for program in PROGRAMS
        for contestant in contestants.of_program(program, workspace, monitor=monitor)
    ]
    many = contestants.native(MANY_OBJECTS, workspace)
    entrants += [
        (MANY_OBJECTS.title, many),
        (MANY_OBJECTS.title, contestants.floor(MANY_OBJECTS, workspace, monitor=monitor)),
        *(("For scale", contestant) for contestant in contestants.for_scale(workspace)),
    ]
    samples: dict[str, dict[str, list[Sample]]] = defaultdict(lambda: defaultdict(list))
    for number in range(rounds + 1):
        for title, contestant in entrants:
            told = f"round {number} of {rounds}: {title}, {contestant.name}"
            print(f"\r{told:90}", end="", file=sys.stderr, flush=True)
            sample = time_run(contestant)
            if number:
                samples[title][contestant.name].append(sample)
    print(f"\r{'':90}\r", end="", file=sys.stderr)
    memory = max((peak_memory(many) for _ in range(_MEMORY_RUNS)), key=lambda m: m.peak_bytes)
    return samples, memory


@contextmanager
def _echo_monitor() -> Iterator[str]:
    """The address of an echo monitor, up until the end."""
    command = [sys.executable, "-m", "benchmarks.echo_monitor"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield f"127.0.0.1:{process.stdout.readline().strip()}"
        finally:
            process.kill()


if __name__ == "__main__":
    main()
