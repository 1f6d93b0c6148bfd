"""A program in a Node.js that waited ends as in a new one, and what waits has nothing of a run."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from plugin_image.contract import RendererEnv
from plugin_image.renderer import ancestry, processes
from tests.faults.warm import COLD, Container, kill, read, wait_until
from tests.render import corpus

WAITING = "nodejs_waiting.js"
COMPILER = "nodejs_compiler.js"
CANARY = "canary-of-another-render"
SAYS_WHETHER_COMPILED = """import * as k8s from "@pulumi/kubernetes";
const value = process.env.PULUMI_NODEJS_TYPESCRIPT!;
new k8s.core.v1.ConfigMap("found", { metadata: { name: "found" }, data: { value } });
"""
"""A program that is given no compiler when it was compiled before."""
REQUIRE = 'const k8s = require("@pulumi/kubernetes");\nconst fs = require("fs");\n'


class NodeContainer(Container):
    """A container with the image's packages for Node.js."""

    def __init__(self, place: Path) -> None:
        super().__init__(place)
        copied = place / "opt" / "plugin_image"
        shutil.copytree(corpus.PLUGIN_IMAGE, copied, ignore=shutil.ignore_patterns("__pycache__"))
        (place / "opt" / "node_modules").symlink_to(corpus.image_modules())
        self.command = (sys.executable, "-S", str(copied / "bin" / "renderer"))
        # Of compiling, too, while other tests keep the machine busy.
        self.env[RendererEnv.DEADLINE.value] = "300"

    def script(self, program: str, **files: str) -> Path:
        """A new project of a JavaScript program."""
        manifests = {"Pulumi.yaml": "name: odd\nruntime: nodejs\n", "package.json": "{}"}
        return self.project("", "", **{**manifests, "index.js": REQUIRE + program, **files})

    def waiting(self) -> list[int]:
        """The processes that wait."""
        return [pid for pid in self.there() if runs(pid, WAITING) and is_stopped(pid)]

    def until_waiting(self) -> list[int]:
        """Wait until a process waits."""
        wait_until(self.waiting)
        return self.waiting()

    def warmly(self, folder: Path, **env: str) -> tuple[int, str, str]:
        """Render by a process that waits. Status, stdout, stderr."""
        guard = ancestry.parent(self.until_waiting()[0])
        keeper = ancestry.parent(guard)
        # One that has loaded since may be lent before those that waited.
        before = {*processes.children(keeper)}
        outcome = self.generate(folder, **env)
        wait_until(
            lambda: before - {*processes.children(keeper)},
            lambda: f"no process that waited was used: {outcome}",
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
        """Wait until sources that nobody knows are compiled by a process that stays."""
        self.sources = 0

        def is_there() -> bool:
            self.sources += 1
            folder = self.typescript(SAYS_WHETHER_COMPILED + f"// {self.sources}\n")
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


@pytest.fixture(scope="module")
def container(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeContainer]:
    made = NodeContainer(tmp_path_factory.mktemp("container"))
    folder = made.script(config_map("1"))

    def is_warm() -> bool:
        assert made.generate(folder)[0] == 0
        return bool(made.waiting())

    wait_until(is_warm)
    yield made
    made.kill()


def config_map(value: str) -> str:
    """A program whose ConfigMap has the string of a JavaScript expression."""
    return (
        "new k8s.core.v1.ConfigMap('found', "
        f"{{ metadata: {{ name: 'found' }}, data: {{ value: String({value}) }} }});\n"
    )


SEEN = """JSON.stringify([
    process.argv.map((word) => word.replace(/:\\d+$/, "")), process.execArgv, process.argv0,
    process.execPath, process.title, process.cwd(), process.umask(), process.exitCode,
    Object.entries(process.env).filter(([name, value]) => !/render-|127.0.0.1/.test(value)),
    process.eventNames().map((name) => [String(name), process.listenerCount(name)]),
    require.main.filename, module.parent?.filename, Object.keys(globalThis), Error.stackTraceLimit,
    fs.readFileSync("/proc/self/limits", "utf8"), process.stdin.isTTY, process.stdout.isTTY,
    fs.readFileSync("/proc/self/status", "utf8").match(/^(SigBlk|SigCgt|NoNewPrivs):.*$/gm),
    Intl.DateTimeFormat().resolvedOptions(), new Date(0).toString(),
])"""
ES_MODULE = {
    "package.json": '{"type": "module", "main": "index.js"}',
    "index.js": 'import * as k8s from "@pulumi/kubernetes";\nimport fs from "fs";\n'
    'const { createRequire } = await import("module");\n'
    + config_map("Object.keys(k8s).length + typeof createRequire + import.meta.url.slice(-9)"),
}
WORKER = (
    """
const { Worker } = require("worker_threads");
const { execFileSync } = require("child_process");
const code = "require('worker_threads').parentPort.postMessage(process.argv.length)";
module.exports = async () => {
    const made = new Worker(code, { eval: true });
    const told = await new Promise((resolve) => made.on("message", resolve));
    const script = "process.stdout.write(JSON.stringify([process.argv, process.execArgv]))";
"""
    + config_map('told + execFileSync(process.execPath, ["-e", script])')
    + "};\n"
)
ORDINARY: dict[str, str | dict[str, str]] = {
    "what a program sees of its process": config_map(SEEN),
    "an ES module": ES_MODULE,
    "threads and processes": WORKER,
    "an error": "throw new Error('odd');\n",
    "an early end": config_map("1") + "process.exit(0);\n",
    "a variable that is not set": config_map("process.env.NOT_THERE"),
    "a secret in an error": "require('@pulumi/pulumi').secret('unlike-any-other');\n"
    "throw new Error('unlike-any-other');\n",
    "a rejection that nobody handles": "Promise.reject(new Error('odd'));\n" + config_map("1"),
    "a signal": "process.kill(process.pid, 'SIGTERM'); setTimeout(() => {}, 60000);\n",
}
"""Programs whose outcome is the same, whether their process has waited or is new."""
RENDERED = {"what a program sees of its process", "an ES module", "threads and processes"}


@pytest.mark.parametrize("name", ORDINARY)
def test_a_program_ends_alike_warm_and_cold(container: NodeContainer, name: str) -> None:
    given = ORDINARY[name]
    folder = container.script("", **given) if isinstance(given, dict) else container.script(given)
    cold = container.generate(folder, **COLD)
    assert container.warmly(folder) == cold
    assert cold[1] if name in RENDERED else cold[1] or cold[2], cold


def test_typescript_renders_alike_warm_and_cold(container: NodeContainer, tmp_path: Path) -> None:
    folder = corpus.named("typescript-components-nest").copy_to(tmp_path)
    cold = container.generate(folder, **COLD)
    # It was compiled then.
    assert container.warmly(folder) == cold
    assert (cold[0], bool(cold[1])) == (0, True)


LOOSE = {"target": "es2016", "module": "commonjs", "moduleResolution": "node"}
SETTINGS: dict[str, dict[str, object]] = {
    "none": {},
    "of templates": {"strict": True, "target": "es2020", "module": "nodenext"},
    "without the browser": {**LOOSE, "strict": True, "lib": ["es2020"], "types": ["node"]},
    "with JavaScript": {**LOOSE, "allowJs": True, "checkJs": True},
}
"""`compilerOptions`, by what they are like."""
TYPESCRIPT = """/// <reference path="./lost.d.ts" />
import * as k8s from "@pulumi/kubernetes";
import * as path from "node:path";
import { text } from "./beside";
declare module "@pulumi/kubernetes" { interface Added { text: string } }
const added: k8s.Added = { text: path.basename(text) };
new k8s.core.v1.ConfigMap("found", { metadata: { name: "found" }, data: { ...added } });
"""
NOT_THERE = """/// <reference path="../node_modules/@types/node/index.d.ts" />
declare const injected: string;
"""
MISTAKEN = (
    TYPESCRIPT
    + """const wrong: number = k8s.core.v1;
new k8s.core.v1.ConfigMap("other", { data: { value: 1 } });
document.title = wrong;
"""
)


@pytest.mark.parametrize("name", SETTINGS)
def test_new_sources_are_checked_alike_warm_and_cold(container: NodeContainer, name: str) -> None:
    """By a process that has parsed the declarations before it knew of folder and settings."""
    config = json.dumps({"compilerOptions": SETTINGS[name], "files": ["index.ts"]})

    def project(program: str) -> Path:
        files = {"beside.ts": f'export const text = "a/{name}";\n'}
        # TypeScript does not tell of it, as nobody asks about the file that has it.
        files["lost.d.ts"] = NOT_THERE
        if SETTINGS[name]:
            files["tsconfig.json"] = config
        return container.typescript(program, **files)

    mistaken = project(MISTAKEN)
    cold = container.generate(mistaken, **COLD)
    assert "error TS2322: Type 'typeof import(" in cold[2]
    assert container.asks_compiler(mistaken) == cold
    cold = container.generate(project(TYPESCRIPT), **COLD)
    assert (cold[0], "kind: ConfigMap" in cold[1], name in cold[1]) == (0, True, True), cold
    # Another text, which is not known yet.
    assert container.asks_compiler(project(TYPESCRIPT + "// new\n")) == cold


def test_what_a_program_declares_is_not_declared_in_the_next(container: NodeContainer) -> None:
    files = {"beside.ts": 'export const text = "a/b";\n', "lost.d.ts": ""}
    declares = TYPESCRIPT + "declare global { interface Array<T> { odd: T } }\n"
    outcome = container.asks_compiler(container.typescript(declares, **files))
    assert outcome[0] == 0, outcome
    alone = TYPESCRIPT.replace("declare module", "// declare module") + "console.log([1].odd);\n"
    outcome = container.asks_compiler(container.typescript(alone, **files))
    assert {"TS2694", "TS2339"} <= {*outcome[2].replace(":", "").split()}, outcome


OVERFLOWS = f"/** @see x\n * @type {{{'(' * 20000} */\nconst deep = 1;\n"
"""The parser gives up in the middle of it, where a line may begin with what does not count."""
MULTIPLIES = """import * as k8s from "@pulumi/kubernetes";
const [base, factor] = [6, 7];
const product = base
    * factor;
const data = { value: `is ${product}`, compiled: `${process.env.PULUMI_NODEJS_TYPESCRIPT}` };
new k8s.core.v1.ConfigMap("found", { metadata: { name: "found" }, data });
"""


@pytest.mark.parametrize("where", ["index.ts", "tsconfig.json"])
def test_what_breaks_a_compiler_changes_no_later_program(
    container: NodeContainer, where: str
) -> None:
    """As its parser keeps what it was in the middle of: see `skipJsDocLeadingAsterisks`."""
    container.until_compiler()
    files = {"index.ts": OVERFLOWS} if where == "index.ts" else {where: OVERFLOWS + "{}"}
    container.generate(container.typescript(SAYS_WHETHER_COMPILED, **files))
    container.until_compiler()
    status, stdout, stderr = container.generate(container.typescript(MULTIPLIES + f"// {where}\n"))
    found = (status, 'value: "is 42"' in stdout, 'compiled: "false"' in stdout)
    assert found == (0, True, True), stdout + stderr


LOADED_BY_NAME = """import * as k8s from "@pulumi/kubernetes";
const { value } = require(["./be", "side"].join(""));
new k8s.core.v1.ConfigMap("found", { metadata: { name: "found" }, data: { value } });
"""


def test_a_source_that_none_imports_is_compiled_when_it_is_loaded(container: NodeContainer) -> None:
    beside = 'export const value: string = "by name";\n'
    folder = container.typescript(LOADED_BY_NAME, **{"beside.ts": beside})
    status, stdout, stderr = container.asks_compiler(folder)
    assert (status, 'value: "by name"' in stdout) == (0, True), stdout + stderr


def test_nothing_of_a_repository_runs_where_sources_are_compiled(container: NodeContainer) -> None:
    """A native module would, to be loaded."""
    folder = container.typescript("", **{"package.json": '{"main": "index.node"}'})
    shutil.copy(os.path.realpath(sys.executable), folder / "index.node")
    compiler = container.until_compiler()
    assert container.generate(folder)[0] == 1
    assert container.compilers() == [compiler]


LONG = "".join(
    f"const part{number} = {{ value: {number}, of: [k8s, {{ text: `${{k8s}}` }}] }};\n"
    for number in range(3000)
)
"""What takes seconds to check."""


def is_at_work(pid: int) -> bool:
    return bool(read(pid, "stat")) and not is_stopped(pid)


@pytest.mark.parametrize("ended", ["compiler", "guard", "keeper"])
def test_a_render_is_whole_though_its_compiler_is_killed(
    container: NodeContainer, ended: str
) -> None:
    compiler = container.until_compiler()
    guard = ancestry.parent(compiler)
    pid = {"compiler": compiler, "guard": guard, "keeper": ancestry.parent(guard)}[ended]
    program = SAYS_WHETHER_COMPILED + LONG + f"// {ended}\n"
    with container.start(container.typescript(program)) as process:
        wait_until(lambda: is_at_work(compiler))
        kill([pid])
        stdout, stderr = process.communicate(timeout=100)
    assert (process.returncode, "kind: ConfigMap" in stdout) == (0, True), stderr
    assert container.until_compiler() != compiler


def test_a_compiler_does_not_outlive_the_render_that_it_works_for(container: NodeContainer) -> None:
    compiler = container.until_compiler()
    with container.start(container.typescript(SAYS_WHETHER_COMPILED + LONG)) as process:
        wait_until(lambda: is_at_work(compiler))
        process.send_signal(signal.SIGKILL)
    wait_until(lambda: not read(compiler, "cmdline"))
    wait_until(lambda: not [*(container.place / "tmp").iterdir()])


SPOILING = (
    """
require("@pulumi/pulumi").output = null;
k8s.core.v1.ConfigMap.prototype.constructor = null;
Array.prototype.map = null;
process.env.LEFT = "left";
process.umask(0o777);
process.chdir("/");
process.argv.push("left");
fs.readFileSync = null;
"""
    + "process.reallyExit(1);\n"
)


BUILT_IN = (
    """
const { fork } = require("child_process");
const { createHash } = require("crypto");
const names = ["crypto", "dns", "http", "http2", "net", "perf_hooks", "readline", "tls", "zlib"];
if (!process.send) {
    const told = new Promise((resolve) => fork(__filename).on("message", resolve));
    const isOne = (name) => require(name) === require(`node:${name}`);
    const keys = names.map((name) => [isOne(name), Object.keys(require(name))]);
    const hash = createHash("sha256").update("text").digest("hex");
    const packed = require("zlib").gzipSync("text").toString("hex").slice(20);
    module.exports = async () => {
"""
    + config_map("JSON.stringify([await told, keys, hash, packed, process.execArgv])")
    + '};\n} else { process.send(["fork", process.argv.length, process.execArgv]); }\n'
)


def test_a_process_that_waits_is_started_from_a_snapshot(container: NodeContainer) -> None:
    """Which has none of Node.js's own modules that have something of the system."""
    folder = container.script(BUILT_IN)
    cold = container.generate(folder, **COLD)
    wait_until(
        lambda: any("--snapshot-blob" in read(pid, "cmdline") for pid in container.waiting())
    )
    assert container.warmly(folder) == cold
    assert "fork" in cold[1], cold


def test_programs_that_come_at_once_get_processes_that_start_from_a_snapshot(
    container: NodeContainer,
) -> None:
    """One by one, which takes less than to load the packages anew for each."""
    seen = container.place / "seen"
    command = 'fs.readFileSync("/proc/self/cmdline", "utf8")'
    folder = container.script(
        f'fs.appendFileSync({str(seen)!r}, {command} + "\\n");\n' + config_map("1")
    )
    wait_until(lambda: any(map(is_from_snapshot, container.waiting())))
    with ExitStack() as opened:
        started = [opened.enter_context(container.start(folder)) for _ in range(6)]
        assert [process.wait(60) for process in started] == [0] * len(started)
    assert [WAITING in line for line in seen.read_text().splitlines()] == [True] * len(started)


def test_a_damaged_snapshot_is_done_without(container: NodeContainer) -> None:
    wait_until(lambda: [*snapshots(container)])
    (snapshot,) = snapshots(container)
    content = bytearray(snapshot.read_bytes())
    content[len(content) // 2] ^= 1
    snapshot.write_bytes(content)
    container.until_waiting()
    # Those that still load are from the snapshot, too.
    processes.kill([pid for pid in container.there() if runs(pid, WAITING)])
    wait_until(lambda: not snapshot.exists())
    assert container.warmly(container.script(config_map("1")))[0] == 0
    assert not any(map(is_from_snapshot, container.waiting()))
    # The next one is written by whoever misses it.
    shutil.rmtree(snapshot.parent)


def is_from_snapshot(pid: int) -> bool:
    return "--snapshot-blob" in read(pid, "cmdline")


def snapshots(container: NodeContainer) -> Iterator[Path]:
    return (container.place / "cache").glob("snapshots/run-*/snapshot.blob")


def test_what_a_program_does_to_its_process_reaches_no_other_render(
    container: NodeContainer,
) -> None:
    folder = container.script(config_map(SEEN))
    before = container.warmly(folder)
    container.warmly(container.script(SPOILING))
    assert container.warmly(folder) == before


def test_what_waits_has_nothing_of_a_render(container: NodeContainer) -> None:
    folder = container.script(config_map("process.env.ARGOCD_ENV_GIVEN"))
    given = {"ARGOCD_ENV_GIVEN": CANARY, "PULUMI_CONFIG_PASSPHRASE": "unlike-any-other"}
    assert CANARY in container.warmly(folder, **given)[1]
    for pid in container.until_waiting():
        environment = read(pid, "environ").split("\0")
        names = {variable.partition("=")[0] for variable in environment if variable}
        assert not [value for value in given.values() if value in "".join(environment)]
        assert not {name for name in names if name.startswith(("ARGOCD_", "HOME", "TMPDIR"))}
        assert str(Path(f"/proc/{pid}/cwd").readlink()) == "/"


def test_a_render_does_without_what_was_killed_while_it_waited(container: NodeContainer) -> None:
    folder = container.script(config_map("1"))
    expected = container.generate(folder, **COLD)
    kill(container.until_waiting())
    assert container.generate(folder) == expected
    # Others take their places.
    assert container.warmly(folder) == expected


@pytest.mark.parametrize("above", [1, 2], ids=["guard", "keeper"])
def test_a_render_whose_guards_are_killed_is_done_in_a_new_process(
    container: NodeContainer, above: int
) -> None:
    ready = container.place / f"runs below {above}"
    folder = container.script(
        f"fs.appendFileSync({str(ready)!r}, process.pid + ' ');\n"
        "module.exports = async () => {\n"
        "await new Promise((resolve) => setTimeout(resolve, 1500));\n" + config_map("1") + "};\n"
    )
    container.until_waiting()
    with container.start(folder) as process:
        wait_until(lambda: ready.exists() and ready.read_text())
        pid = int(ready.read_text().split()[0])
        assert WAITING in read(pid, "cmdline")
        for _ in range(above):
            pid = ancestry.parent(pid)
        kill([pid])
        stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, "kind: ConfigMap" in stdout) == (0, True), stderr


def test_the_clients_end_is_that_of_its_program(container: NodeContainer) -> None:
    ready = container.place / "runs until its client ends"
    folder = container.script(
        f"fs.writeFileSync({str(ready)!r}, String(process.pid)); setTimeout(() => {{}}, 60000);\n"
    )
    container.until_waiting()
    with container.start(folder) as process:
        wait_until(lambda: ready.exists() and ready.read_text())
        pid = int(ready.read_text())
        assert WAITING in read(pid, "cmdline")
        process.send_signal(signal.SIGKILL)
    wait_until(lambda: not read(pid, "cmdline"))
    # The render clears away after its program.
    wait_until(lambda: not [*(container.place / "tmp").iterdir()])


PACKAGES = {
    "nothing": ("", "ready"),
    "a variable": ("process.env.ASKED;", "ready"),
    "its folder": ("process.cwd();", "a package asks for cwd() while it is loaded"),
    "all variables": (
        "Object.keys(process.env);",
        "a package looks through the environment while it is loaded",
    ),
    "an error": ("throw new Error('odd');", "a package fails (odd) while it is loaded"),
}
"""What a package asks for when it is loaded, and what comes of it."""


@pytest.mark.parametrize("asked", PACKAGES)
def test_packages_wait_only_if_no_program_can_tell(asked: str, tmp_path: Path) -> None:
    code, said = PACKAGES[asked]
    sdk, runner = package(tmp_path, "pulumi", ""), "cmd/run/index.js"
    (sdk / "cmd" / "run").mkdir(parents=True)
    (sdk / runner).touch()
    package(tmp_path, "kubernetes", code)
    for given, starts in (("", True), ("other", asked != "a variable")):
        ours, theirs = socket.socketpair()
        with ours, theirs, (tmp_path / "told").open("w") as told:
            script = corpus.PLUGIN_IMAGE / "renderer" / "pulumi" / "hosts" / WAITING
            files = [told.fileno(), theirs.fileno()]
            process = subprocess.Popen(
                ["node", script, sdk / runner, tmp_path / "v8", *map(str, files)],
                env={"PATH": os.environ["PATH"]},
                pass_fds=files,
                stderr=subprocess.PIPE,
            )
            theirs.close()
            assert ours.recv(100).decode() == said
            env = {"ASKED": given} if given else {}
            start = {"cwd": "/", "env": {**env, "RENDERER_RUN": "{}"}, "arguments": []}
            if said == "ready":
                ours.sendall(json.dumps(start).encode())
                ours.shutdown(socket.SHUT_WR)
                assert ours.recv(100) == (b"started" if starts else b"")
        process.communicate(timeout=60)


def package(folder: Path, name: str, code: str) -> Path:
    made = folder / "node_modules" / "@pulumi" / name
    made.mkdir(parents=True)
    (made / "index.js").write_text(code)
    return made
