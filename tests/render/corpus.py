"""The corpus: every folder in `cases/` is a program and what must come of it.

A case holds the program, `expected.yaml` (the whole stream) or `error.txt` (the first line
of the message), and where it needs any an `options.json`: options of the Application, its
destination's `namespace`, and `deadline_seconds`, `passphrase` and `random_key`, which are the
plugin's.
"""

import functools
import json
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from plugin_image.contract import RendererEnv
from plugin_image.renderer.pulumi.hosts import go_shipped
from plugin_image.renderer.pulumi.options import Options
from plugin_image.renderer.request import Request
from plugin_image.renderer.slots import exclusive
from plugin_image.renderer.supervise import Deadline
from tests import asking, toolchain
from tests.e2e.harness import image_packages

ROOT = Path(__file__).parents[2]
PLUGIN_IMAGE = ROOT / "plugin_image"

_FOLDER = Path(__file__).with_name("cases")
_OUTCOMES = {"expected.yaml", "error.txt"}
_VARIABLES = {
    "namespace": "ARGOCD_APP_NAMESPACE",
    "passphrase": "PULUMI_CONFIG_PASSPHRASE",
    "random_key": RendererEnv.RANDOM_KEY.value,
}
_OF_REQUESTS = {"deadline_seconds", *_VARIABLES}
_GO_SECONDS = 1800.0
"""Enough to compile the Kubernetes SDK."""
_DEADLINE_SECONDS = defaultdict(lambda: 300.0, go=_GO_SECONDS)
"""By language, where other tests keep the machine busy."""


@dataclass(frozen=True)
class Case:
    """One program of the corpus."""

    folder: Path

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """The behaviour that the case covers."""
        return self.folder.name

    @property
    def runtime(self) -> str:
        """The language, as Pulumi.yaml names it."""
        runtime = yaml.safe_load((self.folder / "Pulumi.yaml").read_text())["runtime"]
        return str(runtime["name"] if isinstance(runtime, dict) else runtime)

    def packages(self) -> Iterator[tuple[str, Path, str]]:
        """The component packages in the case: name, folder and language."""
        project = yaml.safe_load((self.folder / "Pulumi.yaml").read_text())
        for name, source in project.get("packages", {}).items():
            file = self.folder / source / "PulumiPlugin.yaml"
            if file.exists():
                yield name, file.parent, str(yaml.safe_load(file.read_text())["runtime"])

    @property
    def parts(self) -> Mapping[Path, str]:
        """The folders of the program and of its component packages, and their languages."""
        packages = {folder: runtime for _, folder, runtime in self.packages()}
        return {self.folder: self.runtime, **packages}

    @property
    def marks(self) -> Sequence[pytest.MarkDecorator]:
        """What tests of it are marked with, for the languages that it is in."""
        return [mark for runtime in sorted({*self.parts.values()}) for mark in _MARKS[runtime]]

    @property
    def python_path(self) -> str:
        """Where Python looks for packages first: nowhere else than the interpreter itself."""
        return ""

    @property
    def given(self) -> Mapping[str, Any]:
        """Everything in `options.json`, and the stack `dev` unless it names another or none."""
        file = self.folder / "options.json"
        return {"stack": "dev", **(json.loads(file.read_text()) if file.exists() else {})}

    def options(self) -> Options:
        """The Application's options."""
        return Options(**{k: v for k, v in self.given.items() if k not in _OF_REQUESTS})

    def request(self, program: Path, cache: Path) -> Request:
        """To render a copy of the case, with a cache that may be new or of other cases."""
        runtimes = self.parts.values()
        if "go" in runtimes:
            share_go_caches(cache)
        seconds = max(_DEADLINE_SECONDS[runtime] for runtime in runtimes)
        return asking.request(
            program,
            java_cache() if self.runtime == "java" else cache,
            seconds=self.given.get("deadline_seconds", seconds),
            env={
                variable: self.given[name]
                for name, variable in _VARIABLES.items()
                if name in self.given
            },
        )

    def expected(self, name: str) -> str | None:
        """The text of `expected.yaml` or `error.txt`, where the case has that file."""
        file = self.folder / name
        return file.read_text() if file.exists() else None

    def program_files(self) -> list[Path]:
        """Everything but what must come of the program, in a fixed order."""
        files = (path for path in self.folder.rglob("*") if path.is_file())
        return sorted(path for path in files if path.name not in _OUTCOMES)

    def copy_to(self, folder: Path) -> Path:
        """Copy the program into `folder`.

        Programs run in copies: a case may run several times at once, and its folder stays
        as it is committed.
        """
        program = folder / self.name
        shutil.copytree(self.folder, program)
        return program


def image_modules() -> Path:
    """The `node_modules` that the plugin image has."""
    modules = image_packages.node_modules(PLUGIN_IMAGE)
    assert modules, f"{PLUGIN_IMAGE} has no package-lock.json"
    return modules


def asked_for(session: pytest.Session, fixture: str) -> Iterator[Case]:
    """The cases of those tests of a session that use the fixture."""
    for item in session.items:
        if isinstance(item, pytest.Function) and fixture in item.fixturenames:
            case = item.callspec.params["case"]
            assert isinstance(case, Case)
            yield case


@functools.cache
def compile_go_sdk() -> None:
    """Have Go compile what the corpus imports: minutes of all processors, in one worker only."""
    lock = toolchain.cache.folder() / "go-sdk.lock"
    with exclusive(lock, Deadline(_GO_SECONDS), "another worker compiled the SDKs"):
        parts = (part for case in CASES for part in case.parts.items())
        for folder in [folder for folder, runtime in parts if runtime == "go"]:
            compiled = ["go", "list", "-export", "-deps", *go_shipped.FLAGS, "."]
            subprocess.run(compiled, cwd=folder, stdout=subprocess.DEVNULL, check=True)


def share_go_caches(cache: Path) -> None:
    """Let the renderer use what Go has downloaded and compiled: filling its own takes minutes."""
    compile_go_sdk()
    tools = cache / "tools"
    tools.mkdir(parents=True, exist_ok=True)
    for name, variable in (("go-build", "GOCACHE"), ("go-modules", "GOMODCACHE")):
        folder = subprocess.check_output(["go", "env", variable], text=True).strip()
        with suppress(FileExistsError):
            (tools / name).symlink_to(folder)


@functools.cache
def nodejs_cache() -> Path:
    """The renderer's cache for programs in Node.js, which stays as long as what compiles them."""
    hosts = PLUGIN_IMAGE / "renderer" / "pulumi" / "hosts"
    files = sorted([*hosts.glob("nodejs*"), *hosts.glob("typescript*")])
    name = toolchain.cache.key("nodejs-programs", [path.read_bytes() for path in files])
    return toolchain.cache.folder() / name


def java_cache() -> Path:
    """The renderer's cache for programs in Java, which stays: building them takes long."""
    return toolchain.cache.folder() / "java-programs"


needs_java: Final = pytest.mark.skipif(
    not (shutil.which("javac") and shutil.which("mvn")), reason="there is no JDK, or no Maven"
)
_MARKS: Final = defaultdict(
    tuple[pytest.MarkDecorator, ...],
    # To compile Go's SDK takes ten minutes, once.
    go=(pytest.mark.long,),
    java=(pytest.mark.long, needs_java),
)
"""What tests of the programs in a language are marked with."""


def named(name: str) -> Case:
    """The case of that name."""
    return next(case for case in CASES if case.name == name)


CASES = [Case(path.parent) for path in sorted(_FOLDER.glob("*/Pulumi.yaml"))]
