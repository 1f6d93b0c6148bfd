"""A plugin's container with the image's packages for Node.js, and the processes kept for them."""

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.faults.warm import Container, read, wait_until
from tests.render import corpus

ZYGOTE = "nodejs_zygote.js"
COMPILER = "nodejs_compiler.js"
SAYS_WHETHER_COMPILED = """import * as k8s from "@pulumi/kubernetes";
const value = process.env.PULUMI_NODEJS_TYPESCRIPT!;
new k8s.core.v1.ConfigMap("found", { metadata: { name: "found" }, data: { value } });
"""
"""A program that is given no compiler when it was compiled before."""
_LOADING_SECONDS = 10.0
"""What the process that compiles is given until it is asked for once more."""
REQUIRE = 'const k8s = require("@pulumi/kubernetes");\nconst fs = require("fs");\n'


class NodeContainer(Container):
    """A container with the image's packages for Node.js."""

    def __init__(self, place: Path) -> None:
        super().__init__(place)
        copied = place / "opt" / "plugin_image"
        shutil.copytree(corpus.PLUGIN_IMAGE, copied, ignore=shutil.ignore_patterns("__pycache__"))
        (place / "opt" / "node_modules").symlink_to(corpus.image_modules())
        self.command = self.client(copied / "bin" / "renderer")
        self._sources = 0
        self._plain = self.script(config_map("1"))

    def script(self, program: str, **files: str) -> Path:
        """A new project of a JavaScript program."""
        manifests = {"Pulumi.yaml": "name: odd\nruntime: nodejs\n", "package.json": "{}"}
        return self.project("", "", **{**manifests, "index.js": REQUIRE + program, **files})

    def waiting(self) -> list[int]:
        """The forks that wait to be a program's process."""
        return [program for _, program in self.spares() if runs(program, ZYGOTE)]

    def until_waiting(self) -> list[int]:
        """Wait until a fork waits, and have renders want what is forked."""

        def is_there() -> bool:
            if not any(runs(pid, ZYGOTE) for pid in self.zygotes()):
                assert self.generate(self._plain)[0] == 0
            return bool(self.waiting())

        wait_until(is_there)
        return self.waiting()

    def warmly(self, folder: Path, **env: str) -> tuple[int, str, str]:
        """Render by a fork that waits. Status, stdout, stderr."""
        before = self.until_waiting()
        outcome = self.generate(folder, **env)
        wait_until(
            lambda: not {*before} & {*self.there()},
            lambda: f"no fork that waited was used: {outcome}",
        )
        return outcome

    def typescript(self, program: str, **files: str) -> Path:
        """A new project of a TypeScript program."""
        given = {"package.json": '{"main": "index.ts"}', "index.js": "", "index.ts": program}
        return self.script("", **{**given, **files})

    def compilers(self) -> list[int]:
        """The processes that compile, while they have nothing to do."""
        return [pid for pid in self.there() if runs(pid, COMPILER) and is_stopped(pid)]

    def until_compiler(self) -> int:
        """Wait until sources that nobody knows are compiled by a process that stays.

        Until one has loaded each render compiles for itself, which takes the processors from it.
        """

        again = 0.0

        def is_there() -> bool:
            nonlocal again
            if not self.compilers() and time.monotonic() < again:
                return False
            again = time.monotonic() + _LOADING_SECONDS
            self._sources += 1
            folder = self.typescript(SAYS_WHETHER_COMPILED + f"// {self._sources}\n")
            return 'value: "false"' in self.generate(folder)[1]

        wait_until(is_there)
        wait_until(self.compilers)
        (compiler,) = self.compilers()
        return compiler

    def asks_compiler(self, folder: Path) -> tuple[int, str, str]:
        """Render by a process that compiles. Status, stdout, stderr."""
        compiler = self.until_compiler()
        before = processor_time(compiler)
        outcome = self.generate(folder)
        assert processor_time(compiler) > before, f"the compiler was not asked: {outcome}"
        return outcome


def runs(pid: int, script: str) -> bool:
    return any(script in word for word in read(pid, "cmdline").split("\0"))


def processor_time(pid: int) -> int:
    """What a process has used, in ticks. Source: proc_pid_stat(5)."""
    return sum(map(int, read(pid, "stat").rpartition(")")[2].split()[11:13]))


def is_stopped(pid: int) -> bool:
    return read(pid, "stat").rpartition(")")[2].split()[:1] == ["T"]


def config_map(value: str) -> str:
    """A program whose ConfigMap has the string of a JavaScript expression."""
    return (
        "new k8s.core.v1.ConfigMap('found', "
        f"{{ metadata: {{ name: 'found' }}, data: {{ value: String({value}) }} }});\n"
    )


@contextmanager
def warm_container(place: Path) -> Iterator[NodeContainer]:
    """A container in which a fork waits."""
    made = NodeContainer(place)
    made.until_waiting()
    yield made
    made.kill()
