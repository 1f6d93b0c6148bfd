"""The guestbook rendered as at a developer's desk, by the plugin's own command line.

Nothing is taken for granted: that a second run gives the same bytes, that another value
changes something, that a broken program gives no objects, and that all languages give the
same ones. Raises DemoError where it does not hold.
"""

import difflib
import os
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from tests.e2e.demo.display import Display
from tests.e2e.demo.errors import DemoError
from tests.e2e.demo.shell import Command, Ended, Shell
from tests.e2e.harness.pulumi_stack import ROOT
from tests.toolchain import cache

_RENDERER = "plugin_image/bin/renderer"
_COLOURS = {"-": "red", "+": "green"}
_SETTING = """\
Copies of examples/ are rendered. Python's has no requirements.txt: it runs with what .venv has."""
_DEADLINE_SECONDS = 600
"""Where npm shares two cores with compilers, the default would not do."""


@dataclass(frozen=True)
class Guestbook:
    """One of the examples, which all make the same objects."""

    language: str
    folder: str
    source: str
    mistake: str
    """What sed does to the source, so that it breaks."""
    tools: tuple[str, ...] = ()
    """Parts that have to be on PATH."""

    @property
    def title(self) -> str:
        """The name of its step."""
        return f"The guestbook in {self.language}"


PYTHON = Guestbook("Python", "examples/guestbook-python", "__main__.py", "s/get_int/get_it/")
TYPESCRIPT = Guestbook(
    "TypeScript", "examples/guestbook-typescript", "index.ts", "s/getNumber/getNumbr/"
)
YAML = Guestbook(
    "YAML",
    "examples/guestbook-yaml",
    "Pulumi.yaml",
    "s/{replicas}/{replica}/",
    tools=("pulumi-language-yaml", "pulumi-resource-kubernetes"),
)


class Desk:
    """Renders in a folder of its own, with copies of the examples."""

    def __init__(self, folder: Path, display: Display) -> None:
        self._folder = folder
        self._display = display
        self._objects = ""
        """What has come first, and has to come from all of them."""
        (folder / "plugin_image").symlink_to(ROOT / "plugin_image")
        # A program without a requirements.txt gets the packages of .venv, which are there.
        ignore = shutil.ignore_patterns("requirements.txt", "node_modules", "__pycache__")
        for guestbook in (PYTHON, TYPESCRIPT, YAML):
            shutil.copytree(ROOT / guestbook.folder, folder / guestbook.folder, ignore=ignore)
        for name in ("bin", "tmp"):
            (folder / name).mkdir()
        self.shell = Shell(folder, _environment(folder))

    def show_first(self) -> None:
        """Show what takes nothing but .venv and npm, which installs while Python is shown."""
        packages = self._start_npm()
        self._display.note(_SETTING)
        with self._display.step(PYTHON.title):
            self._show(PYTHON)
        with self._display.step(TYPESCRIPT.title):
            if missing := self._missing(packages):
                self._display.heading(TYPESCRIPT.title)
                self._display.line(f"left out: {missing}")
            else:
                self._show(TYPESCRIPT)

    def show_yaml(self, parts: Mapping[str, Path]) -> None:
        """Show what takes a language host and the Kubernetes provider, for its schema."""
        for name in YAML.tools:
            (self._folder / "bin" / name).symlink_to(parts[name])
        with self._display.step(YAML.title):
            self._show(YAML)

    def _start_npm(self) -> Command | None:
        if shutil.which("npm") is None:
            return None
        renderer = os.path.relpath(_RENDERER, TYPESCRIPT.folder)
        return self.shell.start([renderer, "pulumi", "init"], folder=TYPESCRIPT.folder)

    def _missing(self, packages: Command | None) -> str:
        """Wait for npm; what TypeScript lacks, in a line, or nothing."""
        if packages is None:
            return "npm is not on PATH; it comes with Node.js 20 or newer"
        with self._display.step("npm installs the packages for TypeScript"):
            ended = self.shell.wait(packages)
        return _first_line(ended.errors) if ended.status else ""

    def _show(self, guestbook: Guestbook) -> None:
        self._display.heading(guestbook.title)
        self._show_objects(guestbook)
        self._show_the_same(guestbook)
        self._show_a_change(guestbook)
        self._show_a_mistake(guestbook)

    def _show_objects(self, guestbook: Guestbook) -> None:
        ended = self._rendered(guestbook)
        if not self._objects:
            self._objects = ended.output
            self._display.line(ended.output)
            self._display.line(_size(ended.output), seconds=ended.seconds)
            return
        _require(ended.output == self._objects, f"{guestbook.language} gave\n{ended.output}")
        same = f"{_kinds(ended.output)}: the same {_size(ended.output)}"
        self._display.line(same, seconds=ended.seconds)

    def _show_the_same(self, guestbook: Guestbook) -> None:
        ended = self._rendered(guestbook)
        _require(ended.output == self._objects, f"the second time it gave\n{ended.output}")
        self._display.line(f"the same {_size(ended.output)}", seconds=ended.seconds)

    def _show_a_change(self, guestbook: Guestbook) -> None:
        ended = self._rendered(guestbook, "-c", "replicas=3")
        changes = _changes(self._objects, ended.output)
        _require(bool(changes), "three replicas change nothing")
        for line in changes:
            self._display.line(line, _COLOURS.get(line[0], ""))
        self._display.time(ended.seconds)

    def _show_a_mistake(self, guestbook: Guestbook) -> None:
        self._type(["sed", "-i", guestbook.mistake, f"{guestbook.folder}/{guestbook.source}"])
        ended = self._render(guestbook)
        _require(ended.status == 1 and not ended.output, f"with a mistake it gave\n{ended.output}")
        self._display.line(_first_line(ended.errors), "red")
        self._display.time(ended.seconds)

    def _rendered(self, guestbook: Guestbook, *options: str) -> Ended:
        ended = self._render(guestbook, *options)
        _require(ended.status == 0, f"{guestbook.title} does not render: {ended.errors}")
        return ended

    def _render(self, guestbook: Guestbook, *options: str) -> Ended:
        return self._type([_RENDERER, "pulumi", "render", guestbook.folder, *options])

    def _type(self, arguments: Sequence[str]) -> Ended:
        self._display.command(shlex.join(arguments))
        return self.shell.run(arguments)


def _environment(folder: Path) -> dict[str, str]:
    path = [str(Path(sys.executable).parent), str(folder / "bin"), os.environ["PATH"]]
    return {
        **os.environ,
        "PATH": ":".join(path),
        "TMPDIR": str(folder / "tmp"),
        "RENDERER_CACHE_DIR": str(cache.folder() / "renderer"),
        "RENDERER_DEADLINE_SECONDS": str(_DEADLINE_SECONDS),
    }


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise DemoError(otherwise)


def _first_line(text: str) -> str:
    return next(iter(text.splitlines()), "no reason was given")


def _size(objects: str) -> str:
    return f"{len(objects.encode())} bytes"


def _kinds(objects: str) -> str:
    found = (obj for obj in yaml.safe_load_all(objects) if obj)
    return ", ".join(f"{obj['kind']} {obj['metadata']['name']}" for obj in found)


def _changes(before: str, after: str) -> list[str]:
    """The lines that differ, and one on either side of them."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), n=1, lineterm="")
    return [line for line in lines if not line.startswith(("---", "+++", "@@"))]
