"""What it costs to look for what programs lose: `python -m benchmarks.hooks [--rounds N]`.

Each hook is taken out of a copy of the renderer, and the same program rendered with and without it,
in turns. What counts is the time of the CPU, which says more on a machine that is busy.
"""

import argparse
import compileall
import json
import shutil
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks import contestants
from benchmarks.measure import Contestant, time_run
from benchmarks.workspace import MANY_OBJECTS, PROGRAMS, ROOT, STACK, Workspace
from tests import toolchain

_ROUNDS = 15
_HOSTS = "renderer/pulumi/hosts"
_MONITOR = "renderer/pulumi/monitor"
_WHOLE = "all hooks"
_YAML_HOST = "pulumi-language-yaml"


@dataclass(frozen=True)
class Hook:
    """A line of the renderer, and what stands there without the hook."""

    name: str
    file: str
    line: str
    without: str


_GUARD = Hook(
    "guard",
    "renderer/commands.py",
    "    guarded(renders * request.settings.deadline_seconds)\n",
    "",
)
_PYTHON = (
    _GUARD,
    Hook("values", f"{_HOSTS}/python_runner.py", "    python_values.install()\n", ""),
    Hook(
        "secrets",
        f"{_HOSTS}/python_runner.py",
        "python_secrets.tell(report",
        "(lambda *_: None)(report",
    ),
    Hook("ends", f"{_HOSTS}/python_runner.py", "return leftovers.error", "return lambda: None"),
)
_NODEJS = (
    _GUARD,
    Hook("values", f"{_HOSTS}/nodejs_runner.js", "values.tellOfThoseWithoutJson(", "void ("),
    Hook("secrets", f"{_HOSTS}/nodejs_runner.js", "tellSecrets(requireOfSdk", "void (requireOfSdk"),
)
_CHART = Hook(
    "second look",
    f"{_MONITOR}/plugin/helm.py",
    "if chart and _can_be_of_version_4(chart, options):",
    "if False:",
)
_KUSTOMIZATION = Hook(
    "second look",
    f"{_MONITOR}/plugin/components.py",
    'children = self._plugin.rehearse(request.type, {**inputs, "namespace": _NOWHERE})',
    "children = None",
)
_COMPONENTS = {
    "helm.v3.Chart": (
        _CHART,
        {
            "Pulumi.yaml": "name: component\nruntime: python\n",
            "__main__.py": "import pulumi_kubernetes as k8s\n"
            'k8s.helm.v3.Chart("c", k8s.helm.v3.LocalChartOpts(path="./chart"))\n',
        },
    ),
    "kustomize.v2.Directory": (
        _KUSTOMIZATION,
        # Most SDKs for Python fail with it.
        {
            "Pulumi.yaml": "name: component\nruntime: yaml\nresources:\n  c:\n"
            "    type: kubernetes:kustomize/v2:Directory\n"
            "    properties: {directory: ./kustomization}\n"
        },
    ),
}


def main() -> None:
    """Measure, print the ratios, and write them with the samples."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hooks", description=__doc__)
    parser.add_argument("--rounds", type=int, default=_ROUNDS)
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "hooks.json")
    arguments = parser.parse_args()
    kept = ROOT / "build" / "benchmarks-cache"
    kept.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="hooks-") as folder:
        workspace = Workspace(Path(folder), kept)
        pairs = _pairs(workspace)
        samples: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
        for number in range(arguments.rounds + 1):
            for key, (with_hook, without) in pairs.items():
                sample = time_run(with_hook).cpu_seconds, time_run(without).cpu_seconds
                if number:
                    samples[key].append(sample)
    measured = [
        {"program": program, "hook": hook, **_summary(found)}
        for (program, hook), found in samples.items()
    ]
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(json.dumps(measured, indent=1) + "\n")
    for row in measured:
        print("{program:34} {hook:12} {with} s with, {without} s without: {cost} %".format(**row))


def _summary(samples: list[tuple[float, float]]) -> dict[str, object]:
    with_hook = statistics.median(one for one, _ in samples)
    without = statistics.median(other for _, other in samples)
    return {
        "with": round(with_hook, 3),
        "without": round(without, 3),
        "cost": round(100 * (with_hook / without - 1), 1),
        "samples": samples,
    }


def _pairs(workspace: Workspace) -> dict[tuple[str, str], tuple[Contestant, Contestant]]:
    """Contestants with and without a hook, by the program and the hook."""
    pairs = {}
    for program, hooks in ((PROGRAMS[0], _PYTHON), (PROGRAMS[1], _NODEJS), (MANY_OBJECTS, _PYTHON)):
        native = _patient(contestants.native(program, workspace))
        for name, left_out in (*((hook.name, (hook,)) for hook in hooks), (_WHOLE, hooks)):
            without = _without(workspace, f"{program.slug}-{name}", left_out)
            pairs[program.title, name] = native, _by(native, without)
    for component, (hook, files) in _COMPONENTS.items():
        native = _component(workspace, component, files)
        without = _without(workspace, component, (hook,))
        pairs[component, hook.name] = native, _by(native, without)
    return pairs


def _without(workspace: Workspace, name: str, hooks: tuple[Hook, ...]) -> Path:
    """The renderer's command without these hooks."""
    package = workspace.folder / "without" / name / "plugin_image"
    shutil.copytree(workspace.renderer.parents[1], package)
    for hook in hooks:
        file = package / hook.file
        text = file.read_text()
        assert hook.line in text, f"{hook.file} has no longer {hook.line!r}"
        file.write_text(text.replace(hook.line, hook.without, 1))
    compileall.compile_dir(package, quiet=2)
    return package / "bin" / "renderer"


def _by(native: Contestant, renderer: Path) -> Contestant:
    return replace(native, command=[native.command[0], str(renderer), *native.command[2:]])


def _component(workspace: Workspace, name: str, files: Mapping[str, str]) -> Contestant:
    folder = workspace.folder / name
    shutil.copytree(ROOT / "benchmarks" / "chart", folder / "chart")
    kustomization = folder / "kustomization"
    kustomization.mkdir()
    (kustomization / "kustomization.yaml").write_text("resources: [all.yaml]\n")
    maps = (
        f"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: map-{n}}}\n" for n in range(20)
    )
    (kustomization / "all.yaml").write_text("".join(maps))
    for path, content in files.items():
        (folder / path).write_text(content)
    host = toolchain.ensure([_YAML_HOST])[_YAML_HOST].parent
    env = workspace.environment(workspace.folder / f"{name}-home", host)
    command = [sys.executable, str(workspace.renderer), "pulumi", "render", ".", "--stack", STACK]
    cache = {"RENDERER_CACHE_DIR": str(workspace.cache)}
    return _patient(Contestant(name, command, folder, {**env, **cache}))


def _patient(native: Contestant) -> Contestant:
    """With time enough on a machine that is busy."""
    return replace(native, env={**native.env, "RENDERER_DEADLINE_SECONDS": "900"})


if __name__ == "__main__":
    main()
