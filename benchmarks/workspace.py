"""What the contestants run on: the renderer as the image has it, programs, dependencies."""

import compileall
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from plugin_image.contract import DEFAULT_CACHE_BYTES
from plugin_image.renderer.cache import Cache
from plugin_image.renderer.pulumi import environment
from plugin_image.renderer.pulumi.hosts import registry
from plugin_image.renderer.pulumi.installer import Installer
from plugin_image.renderer.pulumi.project import load_project
from plugin_image.renderer.supervise import Deadline
from tests import toolchain
from tests.e2e.harness import image_packages

ROOT = Path(__file__).parents[1]
STACK = "dev"

_PARTS = (
    "pulumi",
    "pulumi-language-python",
    "pulumi-language-nodejs",
    "pulumi-resource-kubernetes",
    "helm",
)
_INSTALL_SECONDS = 600


@dataclass(frozen=True)
class Program:
    """One program, in the folder that it is committed in."""

    title: str
    project: str
    folder: Path
    runtime: str
    new_sources: bool = False
    """Whether each run sees sources that no run before it has seen."""

    @property
    def slug(self) -> str:
        """The title as a folder's name."""
        return self.title.lower().replace(" ", "-").replace(",", "")


PROGRAMS = (
    Program("Python guestbook", "guestbook", ROOT / "examples" / "guestbook-python", "python"),
    Program(
        "TypeScript guestbook", "guestbook", ROOT / "examples" / "guestbook-typescript", "nodejs"
    ),
    Program(
        "TypeScript guestbook, new sources",
        "guestbook",
        ROOT / "examples" / "guestbook-typescript",
        "nodejs",
        new_sources=True,
    ),
)
MANY_OBJECTS = Program(
    "Python, 2000 objects",
    "many-objects",
    ROOT / "benchmarks" / "programs" / "many-objects",
    "python",
)


class Workspace:
    """A folder for one benchmark, and what stays from one to the next."""

    def __init__(self, folder: Path, kept: Path) -> None:
        """`folder` is empty; `kept` holds dependencies and may be filled already."""
        self.folder = folder
        self.cache = kept
        self.tools = toolchain.ensure(_PARTS)
        self.node = image_packages.node(ROOT / "plugin_image")
        """The folder of Node.js, of the image's version."""
        self.renderer = self._compiled_renderer()
        self.dependencies = {p: self._install(p) for p in (*PROGRAMS, MANY_OBJECTS)}
        """Where each program's are: an interpreter, or `node_modules`."""
        self.with_pip = self._environment_with_pip(PROGRAMS[0])
        """The folder of an interpreter with the Python programs' SDK and with pip."""

    def copy(self, program: Program, contestant: str) -> Path:
        """A copy of the program for one contestant alone."""
        target = self.folder / program.slug / contestant
        ignored = shutil.ignore_patterns("node_modules", "__pycache__")
        shutil.copytree(program.folder, target, ignore=ignored)
        return target

    def environment(self, home: Path, *first: Path) -> dict[str, str]:
        """An environment with a home of its own and `first` ahead of everything on PATH."""
        (home / "tmp").mkdir(parents=True, exist_ok=True)
        folders = [*first, self.node, *(path.parent for path in self.tools.values())]
        folders.append(Path(sys.executable).parent)
        return {
            "PATH": ":".join(
                [*map(str, folders), str(Path(sys.executable).parent), os.environ["PATH"]]
            ),
            "HOME": str(home),
            "TMPDIR": str(home / "tmp"),
            "LANG": "C.UTF-8",
        }

    def _compiled_renderer(self) -> Path:
        """The renderer's command, with its modules compiled ahead as in the image."""
        target = self.folder / "opt" / "plugin_image"
        ignored = shutil.ignore_patterns("node_modules", "__pycache__")
        shutil.copytree(ROOT / "plugin_image", target, ignore=ignored)
        compileall.compile_dir(target, quiet=2)
        return target / "bin" / "renderer"

    def _install(self, program: Program) -> Path:
        root = self.copy(program, "dependencies")
        host = registry.host_of(program.runtime)
        return host.install(load_project(root), self._installer()).path

    def _environment_with_pip(self, program: Program) -> Path:
        """The official language host asks pip what is installed, and the renderer's has none."""
        root, installer = program.folder, self._installer()
        requirements = root / "requirements.txt"

        def fill(folder: Path) -> None:
            installer.run([sys.executable, "-m", "venv", folder / "venv"], root)
            interpreter = folder / "venv" / "bin" / "python"
            install: list[str | Path] = [installer.tool("uv"), "pip", "install"]
            install += ["--compile-bytecode", "--python", interpreter]
            installer.run([*install, "--requirement", requirements], root)

        return installer.cache.once("with-pip", root, [requirements], fill) / "venv" / "bin"

    def _installer(self) -> Installer:
        scratch = self.folder / "scratch"
        scratch.mkdir(exist_ok=True)
        cache = Cache(self.cache, scratch, Deadline(_INSTALL_SECONDS), DEFAULT_CACHE_BYTES)
        env = environment.for_installer(os.environ, scratch, registry.INSTALLER_VARIABLES)
        return Installer(cache, env, scratch, cache.deadline)
