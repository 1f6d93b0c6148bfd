"""What warm renders save a program with packages of its own: `python -m benchmarks.warm`.

The Python guestbook with its requirements.txt is rendered by the container's own command, in turns:
cold, warm, and warm without the requirements.txt, with the image's packages. Processor time is that
of all that a render takes, the server's part included; it takes a cgroup of its own, and so root.
"""

import argparse
import compileall
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import Contestant, Sample, time_run

_ROOT = Path(__file__).parents[1]
_PROGRAM = _ROOT / "examples" / "guestbook-python"
_REQUIREMENTS = "requirements.txt"
_ROUNDS = 15
_WARMING = 8
"""Renders that do not count, after which all is kept."""
_SETTLING_SECONDS = 2.0
_GROUPS = (
    (Path("/sys/fs/cgroup/cpuacct"), "cpuacct.usage", 1e-9),
    (Path("/sys/fs/cgroup"), "cpu.stat", 1e-6),
)
"""Where cgroups are, the file that counts, and what part of a second it counts; v1 and v2."""


def main() -> None:
    """Measure, print the medians, and write all of it where asked."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.warm", description=__doc__)
    parser.add_argument("--rounds", type=int, default=_ROUNDS)
    parser.add_argument("--output", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="benchmarks-") as folder:
        renderer = compiled(_ROOT / "plugin_image", Path(folder) / "renderer")
        measured = measure(entrants(renderer, Path(folder)), arguments.rounds)
    found = {
        name: {
            "seconds": statistics.median(sample.seconds for sample in samples),
            "cpu_seconds": statistics.median(sample.cpu_seconds for sample in samples),
        }
        for name, samples in measured.items()
    }
    print(json.dumps(found, indent=1))
    if arguments.output:
        arguments.output.write_text(json.dumps({"rounds": arguments.rounds, **found}) + "\n")


def compiled(package: Path, folder: Path) -> Path:
    """The renderer's command in a copy of a package, compiled ahead as in the image."""
    shutil.copytree(package, folder, ignore=shutil.ignore_patterns("node_modules", "__pycache__"))
    compileall.compile_dir(folder, quiet=2)
    return folder / "bin" / "renderer"


def entrants(renderer: Path, folder: Path) -> list[Contestant]:
    """The ways to render, each in a container of its own but for the cache."""
    return [
        contestant("cold", renderer, folder, warm=False),
        contestant("warm", renderer, folder),
        contestant("warm, the image's packages", renderer, folder, own=False),
    ]


def contestant(
    name: str, renderer: Path, folder: Path, *, warm: bool = True, own: bool = True
) -> Contestant:
    """The guestbook, rendered as cmp-server has it rendered."""
    place = folder / name
    program = place / "program"
    shutil.copytree(_PROGRAM, program, ignore=shutil.ignore_patterns("__pycache__"))
    if not own:
        (program / _REQUIREMENTS).unlink()
    (place / "tmp").mkdir()
    env = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "HOME": str(place),
        "TMPDIR": str(place / "tmp"),
        "LANG": "C.UTF-8",
        "ARGOCD_APP_NAME": "guestbook",
        "ARGOCD_ENV_PULUMI_STACK": "dev",
        "RENDERER_DEADLINE_SECONDS": "600",
        "RENDERER_CACHE_DIR": str(folder / "cache"),
        "RENDERER_WARM_DIR": str(place / "warm") if warm else "",
    }
    return Contestant(name, [sys.executable, str(renderer), "pulumi", "generate"], program, env)


def measure(entrants: Sequence[Contestant], rounds: int) -> Mapping[str, list[Sample]]:
    """Each of them once a round."""
    samples: dict[str, list[Sample]] = {entrant.name: [] for entrant in entrants}
    with _group() as group:
        for entrant in entrants:
            for _ in range(_WARMING if entrant.env["RENDERER_WARM_DIR"] else 1):
                time_run(entrant)
                time.sleep(_SETTLING_SECONDS)
        for number in range(rounds):
            print(f"round {number + 1} of {rounds}", file=sys.stderr)
            for entrant in entrants:
                before = group.cpu_seconds()
                sample = time_run(entrant)
                # What a render leaves to others to clear away counts, too.
                time.sleep(_SETTLING_SECONDS)
                cpu = group.cpu_seconds() - before
                samples[entrant.name].append(Sample(sample.seconds, cpu))
    return samples


@dataclass(frozen=True)
class _Group:
    """A cgroup, which counts the processor time of all that began in it."""

    folder: Path
    counter: str
    unit: float

    def cpu_seconds(self) -> float:
        """Of all its processes, also of those that have ended."""
        words = (self.folder / self.counter).read_text().split()
        return float(words[words.index("usage_usec") + 1] if len(words) > 1 else words[0]) * (
            self.unit
        )


@contextmanager
def _group() -> Iterator[_Group]:
    """A cgroup with this process, and all that it starts from now on; those end with it."""
    parent, counter, unit = next(told for told in _GROUPS if (told[0] / told[1]).exists())
    folder = parent / f"benchmark-{os.getpid()}"
    folder.mkdir()
    members = folder / "cgroup.procs"
    try:
        members.write_text(str(os.getpid()))
        yield _Group(folder, counter, unit)
    finally:
        (parent / "cgroup.procs").write_text(str(os.getpid()))
        while left := members.read_text().split():
            subprocess.run(["kill", "-KILL", *left], check=False, stderr=subprocess.DEVNULL)
            time.sleep(_SETTLING_SECONDS / 10)
        folder.rmdir()


if __name__ == "__main__":
    main()
