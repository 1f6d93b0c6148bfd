"""One public program, rendered as it is: a process of the renderer, with a deadline."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from plugin_image.contract import RendererEnv
from plugin_image.renderer.errors import RenderError
from plugin_image.renderer.pulumi.project import load_project, stack_folder
from tests import toolchain
from tests.e2e.harness import image_packages
from tests.public.programs import Program
from tests.public.sources import Sources

_ROOT = Path(__file__).parents[2]
_PARTS = ("pulumi-resource-kubernetes", "pulumi-language-yaml")
_GRACE_SECONDS = 30
"""The renderer keeps its own deadline; one that does not has failed."""
_CACHE_BYTES = 40 * 2**30
_STACK = "dev"
"""The stack of programs that have no file of any."""


@dataclass(frozen=True)
class Ended:
    """How the renderer ended. A status of None says that it did not, and was killed."""

    status: int | None
    output: str
    errors: str
    seconds: float


@dataclass(frozen=True)
class Runner:
    """Renders programs with one cache."""

    sources: Sources
    cache: Path
    deadline_seconds: float
    env: Mapping[str, str]

    @classmethod
    def of(cls, sources: Sources, cache: Path, deadline_seconds: float) -> "Runner":
        """With the parts that the plugin image has, which are built where they are missing."""
        parts = [path.parent for path in toolchain.ensure(_PARTS).values()]
        plugin_image = _ROOT / "plugin_image"
        parts += [image_packages.node(plugin_image), image_packages.node_managers(plugin_image)]
        env = {
            **os.environ,
            "PATH": ":".join([*map(str, parts), os.environ["PATH"]]),
            RendererEnv.CACHE_DIR.value: str(cache),
            RendererEnv.CACHE_BYTES.value: str(_CACHE_BYTES),
            RendererEnv.DEADLINE.value: str(deadline_seconds),
        }
        return cls(sources, cache, deadline_seconds, env)

    def render(self, program: Program, to: Path) -> Ended:
        """Render it in a copy at `to`. Raises SourceError."""
        folder = self.sources.copy(program, to)
        start = time.monotonic()
        command = [sys.executable, str(_ROOT / "plugin_image/bin/renderer"), "pulumi", "render"]
        try:
            done = subprocess.run(
                [*command, str(folder), "--stack", stack(folder)],
                cwd=to,
                env=self.env,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=self.deadline_seconds + _GRACE_SECONDS,
            )
        except subprocess.TimeoutExpired as error:
            said = (error.stderr or b"").decode(errors="replace")
            return Ended(None, "", said, time.monotonic() - start)
        return Ended(done.returncode, done.stdout, done.stderr, time.monotonic() - start)


def stack(folder: Path) -> str:
    """The first stack that has a file, by name."""
    try:
        project = load_project(folder)
        files = sorted(stack_folder(project).glob(f"Pulumi.*{Path(project.file).suffix}"))
    except RenderError:
        # The renderer will say it.
        return _STACK
    names = (file.name.removeprefix("Pulumi.").removesuffix(file.suffix) for file in files)
    return next(names, _STACK)
