"""Renders a copy of a public program with the official engine, and holds ours against that.

    python -m tests.public.official FOLDER STACK CACHE FILE

runs the engine and writes what came to FILE. It is a process of its own because it ends everything
that a program leaves running. The engine runs with the packages that the renderer has installed,
so that the two differ in nothing but themselves.

Without a cluster the engine fails where a program reads what only a cluster knows. What it has
written by then is compared all the same.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plugin_image.contract import RendererEnv
from plugin_image.renderer.cache import Cache
from plugin_image.renderer.pulumi import environment
from plugin_image.renderer.pulumi.hosts.registry import INSTALLER_VARIABLES, host_of
from plugin_image.renderer.pulumi.installer import Installer
from plugin_image.renderer.pulumi.options import Options
from plugin_image.renderer.pulumi.project import Project, load_project
from plugin_image.renderer.supervise import Deadline
from tests.public.running import stack
from tests.render import objects, official_engine
from tests.render.corpus import Case
from tests.render.differences import comparable, without_words_to_the_provider
from tests.render.objects import Object

_SECONDS = 1800.0
_SAID = 1000
"""Characters of what the engine said that are told."""


@dataclass(frozen=True)
class Comparison:
    """What the engine made of a program, beside what we did."""

    difference: str
    """How its objects differ from ours: empty where they do not."""
    failure: str = ""
    """What it said where it failed; `difference` is then about the objects it had written."""


def compare(folder: Path, env: Mapping[str, str], stream: str) -> Comparison:
    """Hold `stream`, which is ours, against the engine's objects."""
    with tempfile.TemporaryDirectory(prefix="official-") as scratch:
        file = Path(scratch) / "answer.json"
        cache = env[RendererEnv.CACHE_DIR.value]
        module = [sys.executable, "-m", "tests.public.official"]
        root = Path(__file__).parents[2]
        done = subprocess.run(
            [*module, str(folder), stack(folder), cache, str(file)],
            cwd=root,
            env={**env, "TMPDIR": scratch},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        if not file.exists():
            return Comparison("not compared", failure=done.stderr.strip()[-_SAID:])
        failure, answer = json.loads(file.read_text())
    return compared(stream, answer, failure[-_SAID:])


def compared(stream: str, answer: Sequence[Object], failure: str = "") -> Comparison:
    """Hold our stream against the engine's objects, of which there are not all after a failure."""
    if failure and not answer:
        return Comparison("the engine has written nothing", failure)
    theirs = objects.in_order(map(without_words_to_the_provider, answer))
    ours = comparable(objects.read(stream), theirs)
    if failure:
        there = {objects.identity(each) for each in theirs}
        ours = [each for each in ours if objects.identity(each) in there]
    return Comparison(_difference(ours, theirs), failure)


def _difference(ours: list[Object], theirs: list[Object]) -> str:
    of_ours = {objects.identity(each): each for each in ours}
    of_theirs = {objects.identity(each): each for each in theirs}
    parts = [f"only ours: {key}" for key in of_ours.keys() - of_theirs.keys()]
    parts += [f"only theirs: {key}" for key in of_theirs.keys() - of_ours.keys()]
    parts += [
        f"{key} at {_place(of_ours[key], of_theirs[key])}"
        for key in of_ours.keys() & of_theirs.keys()
        if of_ours[key] != of_theirs[key]
    ]
    return "; ".join(sorted(parts))


def _place(ours: Any, theirs: Any, path: str = "") -> str:
    """The first path at which two objects differ, with both values."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in sorted(ours.keys() | theirs.keys()):
            if ours.get(key) != theirs.get(key):
                return _place(ours.get(key), theirs.get(key), f"{path}.{key}")
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for i, pair in enumerate(zip(ours, theirs, strict=True)):
            if pair[0] != pair[1]:
                return _place(*pair, f"{path}[{i}]")
    return f"{path}: {ours!r:.200} (ours), {theirs!r:.200}"


@dataclass(frozen=True)
class _Public(Case):
    """A public program, as the official engine is asked for those of the corpus."""

    stack: str
    installed: Path
    """What the renderer runs it with."""

    @property
    def python_path(self) -> str:
        """The program's own packages, for the engine's interpreter has pip, and theirs has not."""
        if self.runtime != "python":
            return super().python_path
        return ":".join(map(str, self.installed.parents[1].glob("lib/python*/site-packages")))

    @property
    def given(self) -> Mapping[str, Any]:
        return {"stack": self.stack, "deadline_seconds": _SECONDS}

    def options(self) -> Options:
        return Options()

    def copy_to(self, folder: Path) -> Path:
        """Itself, which is a copy already."""
        return self.folder


def _with_packages(project: Project, cache: Path, scratch: Path) -> Path:
    """Put the packages that the renderer has installed where the engine's hosts look for them.

    Gives what the renderer runs the program with.
    """
    deadline = Deadline(_SECONDS)
    env = environment.for_installer(os.environ, scratch, INSTALLER_VARIABLES)
    installer = Installer(Cache(cache, scratch, deadline, 2**40), env, scratch, deadline)
    installed = host_of(project.runtime).install(project, installer)
    if project.runtime == "nodejs":
        for place, really in installed.places.items():
            place.symlink_to(really)
    return installed.path


def main(folder: str, stack_name: str, cache: str, file: str) -> None:
    """Write the error's text, empty where there is none, and the engine's objects, as JSON."""
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        installed = _with_packages(load_project(Path(folder)), Path(cache), scratch)
        answer = official_engine.run(_Public(Path(folder), stack_name, installed), scratch)
        failed = isinstance(answer, str)
        told = (answer, official_engine.written(scratch)) if failed else ("", answer)
    Path(file).write_text(json.dumps(told, indent=1))


if __name__ == "__main__":
    main(*sys.argv[1:])
