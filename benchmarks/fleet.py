"""What a refresh of many Applications takes in a real repo-server: `python -m benchmarks.fleet`.

Helm charts and Pulumi programs make the same objects, and all Applications of one kind are
refreshed at once: hard, after a commit that changes each program (`changed`), hard again with
nothing changed (`unchanged`), and as Argo CD does by itself after a commit to one program of the
repository (`one`). A plugin that prints a file shows what Argo CD itself takes. Processor time and
memory are those of the plugin's container, cmp-server included; counting them takes root.
"""

import argparse
import json
import re
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks import cgroup, plot
from benchmarks.warm import compiled
from tests import toolchain
from tests.e2e.harness.api_server import INSTALLER, running_api_server
from tests.e2e.harness.argocd import ArgoCD, running_argocd
from tests.e2e.harness.git_repository import GitRepository
from tests.e2e.harness.image_root import plugin_image
from tests.e2e.harness.kubernetes_api import Object
from tests.e2e.harness.local_argocd import terminate_like_interrupt
from tests.e2e.harness.pulumi_stack import ROOT, PulumiStack
from tests.e2e.harness.workspace import Workspace
from tests.e2e.installation import CONFIG, IMAGE, IMAGE_TOOLS

_HELM, _FLOOR = "Helm", "a file"
_PROGRAMS = {
    "Python": ROOT / "examples" / "guestbook-python",
    "TypeScript": ROOT / "examples" / "guestbook-typescript",
    "Python, a local chart": ROOT / "examples" / "guestbook-helm",
    "YAML": ROOT / "examples" / "guestbook-yaml",
}
_CHART = ROOT / "benchmarks" / "chart"
_OBJECTS = _CHART / "templates" / "guestbook-ui.yaml"
_REPLICAS = re.compile(r'(?<=replicas: )("?)\d+')
_CHANGED, _UNCHANGED, _ONE = "changed", "unchanged", "one"
_MADE_FROM = {"argocd.argoproj.io/manifest-generate-paths": "."}
_SOURCES = {"Python": ("__main__.py", "#"), "TypeScript": ("index.ts", "//")}
"""By kind, the source of a program, and how a comment begins there."""
_TOOLS = (*toolchain.DEFAULT, *IMAGE_TOOLS, "helm")
_ARGOPROJ = "argoproj.io/v1alpha1"
_REFRESH = "argocd.argoproj.io/refresh"
_FLEET = "benchmark/fleet"
_SECONDS = 1800
_POLL_SECONDS = 0.25
_SAMPLE_SECONDS = 1.0


@dataclass(frozen=True)
class Refreshed:
    """What one refresh of one fleet took."""

    seconds: float
    cpu_seconds: float
    """Of the plugin's container."""
    errors: int
    """Applications whose last comparison failed."""
    peak_bytes: int
    """Of the plugin's container, while it lasted."""


@dataclass(frozen=True)
class Fleet:
    """Applications of one kind, by turns over the folders of one repository."""

    kind: str
    label: str
    """Finds the Applications in the API."""
    repository: GitRepository
    folders: Sequence[str]
    names: Sequence[str]

    plugin: str | None
    """Argo CD's own tools do without."""
    annotations: Mapping[str, str]

    def create(self, argocd: ArgoCD) -> None:
        """Make the Applications, without waiting for them."""
        for number, name in enumerate(self.names):
            argocd.create_application(
                name,
                repository=self.repository,
                path=self.folders[number % len(self.folders)],
                plugin={"name": self.plugin} if self.plugin else None,
                destination_namespace="default",
                labels={_FLEET: self.label},
                annotations=self.annotations,
            )

    def commit(self, replicas: int, *, folders: Sequence[str]) -> str:
        """Have these folders ask for that many replicas; returns the revision."""
        files = [f"{folder}/{_file_with_replicas(self.kind)}" for folder in folders]
        changed = {
            file: _REPLICAS.sub(rf"\g<1>{replicas}", (self.repository.folder / file).read_text())
            for file in files
        }
        if self.kind in _SOURCES:
            name, comment = _SOURCES[self.kind]
            for folder in folders:
                text = (self.repository.folder / folder / name).read_text()
                # What is known of the same source in another folder would do.
                changed[f"{folder}/{name}"] = f"{text}{comment} {folder}: {replicas}\n"
        return self.repository.commit(f"{replicas} replicas", changed)


def main() -> None:
    """Measure, print medians as JSON, and write all of it where asked, with a plot of memory."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fleet", description=__doc__)
    parser.add_argument("--applications", type=int, default=200, metavar="N")
    parser.add_argument("--programs", type=int, default=40, metavar="N")
    parser.add_argument("--rounds", type=int, default=3, metavar="N")
    parser.add_argument(
        "--whole-repository",
        action="store_true",
        help="without the annotation that says what an Application is made from",
    )
    parser.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help="write all of it as JSON, and the container's memory over time as SVG beside it",
    )
    arguments = parser.parse_args()
    terminate_like_interrupt()
    with _running() as (argocd, plugins, container):
        fleets = [_fleet(argocd, kind, plugin, arguments) for kind, plugin in plugins.items()]
        samples, memory = measure(argocd, fleets, container, arguments.rounds)
    found = report(samples, arguments.applications)
    print(json.dumps(found, indent=1))
    if arguments.output:
        settings = {key: value for key, value in vars(arguments).items() if key != "output"}
        written = {**settings, **found, "samples": samples, "memory": memory}
        arguments.output.write_text(json.dumps(written, default=asdict) + "\n")
        arguments.output.with_suffix(".svg").write_text(plot.memory_over_time(memory))


def measure(
    argocd: ArgoCD, fleets: Sequence[Fleet], container: cgroup.Group, rounds: int
) -> tuple[dict[str, dict[str, list[Refreshed]]], list[tuple[float, int]]]:
    """Refresh the fleets in turns; what came of it, and the memory over time.

    Before that, each is rendered once, which installs what the programs depend on.
    """
    samples: dict[str, dict[str, list[Refreshed]]] = {
        way: {fleet.kind: [] for fleet in fleets} for way in (_CHANGED, _UNCHANGED, _ONE)
    }
    with _sampled(container) as memory:
        for fleet in fleets:
            print(f"{fleet.kind}, for the first time", file=sys.stderr)
            fleet.create(argocd)
            _wait(argocd, fleet, lambda app: "reconciledAt" in app.get("status", {}))
        for number in range(1, rounds + 1):
            for fleet in fleets:
                revision = ""
                for way, found in samples.items():
                    if way != _UNCHANGED:
                        folders = fleet.folders if way == _CHANGED else fleet.folders[:1]
                        revision = fleet.commit(2 * number + (way == _ONE), folders=folders)
                    how = "normal" if way == _ONE else "hard"
                    refreshed = _refresh(argocd, fleet, revision, container, memory, how=how)
                    told = f"round {number} of {rounds}: {fleet.kind}, {way}: {refreshed}"
                    print(told, file=sys.stderr)
                    found[fleet.kind].append(refreshed)
    return samples, memory


def report(
    samples: Mapping[str, Mapping[str, Sequence[Refreshed]]], applications: int
) -> dict[str, Any]:
    """Medians: Applications a minute, also to Helm's, and processor time for each."""
    found: dict[str, Any] = {}
    for way, kinds in samples.items():
        seconds = {
            kind: statistics.median(one.seconds for one in refreshed)
            for kind, refreshed in kinds.items()
        }
        found[way] = {
            kind: {
                "a_minute": round(60 * applications / seconds[kind], 1),
                "to_helm": round(seconds[_HELM] / seconds[kind], 3),
                "cpu_ms_each": round(
                    1000 * statistics.median(one.cpu_seconds for one in refreshed) / applications, 1
                ),
                "errors": sum(one.errors for one in refreshed),
                "peak_mb": round(max(one.peak_bytes for one in refreshed) / 1e6),
            }
            for kind, refreshed in kinds.items()
        }
    return found


def _refresh(
    argocd: ArgoCD,
    fleet: Fleet,
    revision: str,
    container: cgroup.Group,
    memory: list[tuple[float, int]],
    *,
    how: str,
) -> Refreshed:
    asked = datetime.now(UTC).replace(microsecond=0)
    cpu, start, first_sample = container.cpu_seconds(), time.monotonic(), len(memory)
    for name in fleet.names:
        argocd.application(name).patch({"metadata": {"annotations": {_REFRESH: how}}})
    apps = _wait(argocd, fleet, lambda app: _is_done(app, asked))
    seconds = time.monotonic() - start
    errors = [told for app in apps if (told := _error(app, revision))]
    for told in errors[:1]:
        print(f"  {told}", file=sys.stderr)
    peaks = [size for _, size in memory[first_sample:]]
    cpu = container.cpu_seconds() - cpu
    return Refreshed(seconds, cpu, len(errors), max(peaks, default=0))


def _wait(argocd: ArgoCD, fleet: Fleet, is_done: Callable[[Object], bool]) -> list[Object]:
    """The Applications, once all of them are done."""
    start = time.monotonic()
    while True:
        apps = argocd.api.list(_ARGOPROJ, "Application", selector=f"{_FLEET}={fleet.label}")
        if all(map(is_done, apps)):
            return apps
        if time.monotonic() - start > _SECONDS:
            raise TimeoutError(f"{fleet.kind} takes more than {_SECONDS} s")
        time.sleep(_POLL_SECONDS)


def _is_done(app: Mapping[str, Any], asked: datetime) -> bool:
    at = app.get("status", {}).get("reconciledAt")
    pending = _REFRESH in app["metadata"].get("annotations", {})
    return not pending and at is not None and datetime.fromisoformat(at) >= asked


def _error(app: Mapping[str, Any], revision: str) -> str:
    """Why what was compared is not the revision's; empty where it is."""
    conditions = app["status"].get("conditions", [])
    for told in conditions:
        if "Error" in told["type"]:
            return str(told["message"])
    compared = app["status"].get("sync", {}).get("revision")
    return "" if compared == revision else f"compared with {compared}, not with {revision}"


def _fleet(argocd: ArgoCD, kind: str, plugin: str | None, asked: argparse.Namespace) -> Fleet:
    """A repository with the folders, and the names of its Applications."""
    slug = f"fleet-{kind.lower().replace(' ', '-').replace(',', '')}"
    repository = argocd.repository(slug)
    folders = [f"{slug}-{number}" for number in range(asked.programs)]
    for name in folders:
        if kind == _FLOOR:
            objects = _OBJECTS.read_text().replace("{{ .Values.replicas }}", "1")
            (repository.folder / name).mkdir()
            (repository.folder / name / _file_with_replicas(kind)).write_text(objects)
        else:
            repository.copy(_PROGRAMS.get(kind, _CHART), name)
    repository.commit("programs")
    names = [f"{slug}-{number}" for number in range(asked.applications)]
    annotations = {} if asked.whole_repository else _MADE_FROM
    return Fleet(kind, slug, repository, folders, names, plugin, annotations)


def _file_with_replicas(kind: str) -> str:
    return {_HELM: "values.yaml", _FLOOR: "objects.yaml"}.get(kind, "Pulumi.dev.yaml")


@contextmanager
def _running() -> Iterator[tuple[ArgoCD, Mapping[str, str | None], cgroup.Group]]:
    """Argo CD with both plugins; the name of each kind's plugin; the container that counts."""
    tools = toolchain.ensure(_TOOLS)
    workspace = Workspace()
    with ExitStack() as parts:
        parts.callback(lambda: workspace.close(keep_logs=False))
        counted = parts.enter_context(cgroup.group("plugin"))
        server = parts.enter_context(running_api_server(workspace, tools))
        argocd = parts.enter_context(
            # Nothing is to be compared unless somebody asks.
            running_argocd(server, workspace, tools, reconciliation="24h")
        )

        def installed(name: str, **stack: Any) -> dict[str, Any]:
            made = PulumiStack(
                workspace.folder(name),
                tools=tools,
                kubeconfig=server.kubeconfig(INSTALLER),
                **stack,
            )
            made.up().require_success()
            return made.outputs()

        ours = installed("installer", config=CONFIG)
        floor = installed(
            "floor",
            config={"image": IMAGE, "awaitRollout": False},
            program=ROOT / "examples" / "plugins" / "shell-script",
            library=["argocd_cmp"],
        )
        sources = workspace.folder("image", mode=0o755) / "plugin_image"
        compiled(ROOT / "plugin_image", sources)
        image = plugin_image(sources, commands=[tools[name] for name in IMAGE_TOOLS])
        argocd.roll_out({ours["containerName"]: image, floor["containerName"]: image})
        for plugin in (ours, floor):
            counted.add(argocd.sidecar(plugin["containerName"]).process.pid)
        programs = dict.fromkeys(_PROGRAMS, ours["pluginName"])
        yield argocd, {_HELM: None, _FLOOR: floor["pluginName"], **programs}, counted


@contextmanager
def _sampled(container: cgroup.Group) -> Iterator[list[tuple[float, int]]]:
    """Seconds, and the bytes that the container holds then; more come until the end."""
    found: list[tuple[float, int]] = []
    ended = threading.Event()
    start = time.monotonic()

    def sample() -> None:
        while not ended.wait(_SAMPLE_SECONDS):
            found.append((round(time.monotonic() - start, 1), container.memory_bytes()))

    thread = threading.Thread(target=sample, daemon=True)
    thread.start()
    try:
        yield found
    finally:
        ended.set()
        thread.join()


if __name__ == "__main__":
    main()
