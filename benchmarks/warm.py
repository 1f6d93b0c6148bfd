"""What warm renders and kept results save, beside Helm and cdk8s: `python -m benchmarks.warm`.

The guestbooks are rendered by the container's own command, in turns: cold, warm, and where nothing
has changed, by the result that was kept. Processor time is that of all that a render takes, the
server's part included; it takes a cgroup of its own, and so root.
"""

import argparse
import compileall
import json
import os
import py_compile
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks import cgroup
from benchmarks.measure import Contestant, Sample, time_run
from plugin_image.renderer.pulumi import environment
from plugin_image.renderer.pulumi.hosts import registry
from tests import toolchain
from tests.e2e.harness import image_packages

_ROOT = Path(__file__).parents[1]
_PROGRAMS = {
    "Python": "guestbook-python",
    "Python, a local chart": "guestbook-helm",
    "TypeScript": "guestbook-typescript",
    "YAML": "guestbook-yaml",
}
"""What is rendered, by its folder in `examples`."""
_HELM = "helm template"
_TOOLS = ("client", "helm", "pulumi-language-yaml", "pulumi-resource-kubernetes")
_ROUNDS = 15
_WARMING = 8
"""Renders that do not count, after which all is kept."""
_SETTLING_SECONDS = 2.0


def main() -> None:
    """Measure, print the medians, and write all of it where asked."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.warm", description=__doc__)
    parser.add_argument("--rounds", type=int, default=_ROUNDS)
    parser.add_argument("--output", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="benchmarks-") as folder:
        renderer = compiled(_ROOT / "plugin_image", Path(folder) / "plugin_image")
        measured = measure(entrants(renderer, Path(folder)), arguments.rounds)
    medians = {
        name: {
            "seconds": statistics.median(sample.seconds for sample in samples),
            "cpu_seconds": statistics.median(sample.cpu_seconds for sample in samples),
        }
        for name, samples in measured.items()
    }
    found = {
        name: {**median, "to_helm": median["seconds"] / medians[_HELM]["seconds"]}
        for name, median in medians.items()
    }
    print(json.dumps(found, indent=1))
    if arguments.output:
        arguments.output.write_text(json.dumps({"rounds": arguments.rounds, **found}) + "\n")


def compiled(package: Path, folder: Path) -> Path:
    """The command in a copy of a package compiled ahead, beside its modules."""
    shutil.copytree(package, folder, ignore=shutil.ignore_patterns("node_modules", "__pycache__"))
    unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
    compileall.compile_dir(folder, quiet=2, invalidation_mode=unchecked)
    if modules := image_packages.node_modules(package):
        folder.with_name("node_modules").symlink_to(modules)
    client = folder / "bin" / "client"
    shutil.copy(toolchain.ensure(("client",))["client"], client)
    return client


def entrants(renderer: Path, folder: Path) -> list[Contestant]:
    """The ways to render, each in a container of its own but for the cache."""
    tools = toolchain.ensure(_TOOLS)
    places = [
        *(tool.parent for tool in tools.values()),
        image_packages.node(_ROOT / "plugin_image"),
    ]
    path = ":".join(map(str, [Path(sys.executable).parent, *places, os.environ["PATH"]]))
    chart = str(_ROOT / "benchmarks" / "chart")
    helm = [str(tools["helm"]), "template", "guestbook", chart]
    env = {
        **environment.for_installer(os.environ, folder, registry.INSTALLER_VARIABLES),
        "NPM_CONFIG_USERCONFIG": str(Path.home() / ".npmrc"),
        "PATH": path,
        "LANG": "C.UTF-8",
        "RENDERER_CACHE_DIR": str(folder / "cache"),
    }
    return [
        Contestant(_HELM, helm, folder, {"HOME": str(folder)}),
        *_cdk8s({"HOME": str(folder), "PATH": path}),
        *(
            contestant(f"{program}, {way}", renderer, folder / program / way, env, way=way)
            for program in _PROGRAMS
            for way in ("cold", "warm", "kept")
        ),
    ]


def _cdk8s(env: dict[str, str]) -> list[Contestant]:
    """Programs for cdk8s that write the same objects, without its command line.

    In Python that is jsii, which has a Node.js do the work.
    """
    package = _ROOT / "benchmarks" / "programs" / "cdk8s"
    modules = str(image_packages.node_modules(package))
    venv = image_packages.virtual_environment(
        package / "requirements.txt", installed_at="/opt/cdk8s"
    )
    return [
        Contestant(
            "cdk8s, JavaScript", ["node", "main.js"], package, {**env, "NODE_PATH": modules}
        ),
        Contestant("cdk8s, Python", [str(venv / "bin" / "python"), "main.py"], package, env),
    ]


def contestant(
    name: str, renderer: Path, place: Path, env: Mapping[str, str], *, way: str
) -> Contestant:
    """A guestbook, rendered as cmp-server has it rendered."""
    program = place / "program"
    example = _ROOT / "examples" / _PROGRAMS[place.parent.name]
    shutil.copytree(example, program, ignore=shutil.ignore_patterns("__pycache__"))
    (place / "tmp").mkdir()
    surroundings = {
        **env,
        "HOME": str(place),
        "TMPDIR": str(place / "tmp"),
        "ARGOCD_APP_NAME": "guestbook",
        "ARGOCD_ENV_PULUMI_STACK": "dev",
        "ARGOCD_ENV_PULUMI_CACHE": str(way == "kept").lower(),
        "RENDERER_DEADLINE_SECONDS": "600",
        "RENDERER_WARM_DIR": "" if way == "cold" else str(place / "warm"),
    }
    command = [str(renderer), "pulumi", "generate"]
    return Contestant(name, command, program, surroundings)


def measure(entrants: Sequence[Contestant], rounds: int) -> Mapping[str, list[Sample]]:
    """Each of them once a round."""
    samples: dict[str, list[Sample]] = {entrant.name: [] for entrant in entrants}
    with cgroup.group("benchmark") as group:
        group.add(os.getpid())
        for entrant in entrants:
            for _ in range(_WARMING if entrant.env.get("RENDERER_WARM_DIR") else 1):
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


if __name__ == "__main__":
    main()
