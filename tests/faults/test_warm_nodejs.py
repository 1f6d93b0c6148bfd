"""A program in a fork of Node.js ends as in a new one, and what is forked has nothing of a run."""

import json
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import yaml

from plugin_image.renderer import ancestry, forked, launch, processes
from tests.faults.warm import COLD, kill, read, wait_until
from tests.faults.warm_nodejs import ZYGOTE, NodeContainer, config_map, warm_container
from tests.render import corpus

CANARY = "canary-of-another-render"


@pytest.fixture(scope="module")
def container(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeContainer]:
    with warm_container(tmp_path_factory.mktemp("container")) as made:
        yield made


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
V8 = (
    """
const { Worker } = require("worker_threads");
const code = "const all = []; for (let i = 0; i < 5e5; i++) all.push({ i }); postMessage(1)";
let kept = [];
for (let i = 0; i < 2e6; i++) kept = i % 1e5 ? [...kept.slice(-1), { i, text: "x" + i }] : [];
require("v8").setFlagsFromString("--expose-gc");
require("vm").runInNewContext("gc")();
const wasm = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);
module.exports = async () => {
    await WebAssembly.instantiate(wasm);
    await new Promise((resolve) => require("zlib").gzip("x".repeat(1e6), resolve));
    await new Promise((resolve) => fs.readFile(__filename, resolve));
    const failed = await fetch("http://127.0.0.1:1").catch((error) => error.message);
"""
    + config_map("failed + structuredClone(kept).length")
    + "};\n"
)
"""Work that V8 and Node.js leave to threads."""
LATE_EXIT = (
    config_map("1")
    + """
const { emit } = process;
process.emit = function (name, ...rest) {
    const heard = emit.call(this, name, ...rest);
    if (name === "exit") process.stdout.write("after all\\n");
    return heard;
};
process.on("exit", () => { process.exitCode = 3; });
"""
)
"""As `signal-exit` does, which many packages use."""
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
    "modules of Node.js's own": BUILT_IN,
    "work for threads": V8,
    "a word after all handlers of the end": LATE_EXIT,
    "what is said on either output": "console.log('a');\nconsole.error('b'.repeat(3e4));\n"
    "process.stderr.write('c'.repeat(2e4));\nprocess.exitCode = 3;\n",
    "what no fork should have": config_map(
        "require('vm').runInNewContext('typeof gc') + Object.keys(require.cache).filter("
        "(name) => name.includes('koffi')).length"
    ),
    "an end that is told of twice": "process.emit('exit', 0);\n" + config_map("1"),
    "an error at the end": "process.on('exit', () => { throw new Error('odd'); });\n"
    + config_map("1"),
    "an end that nobody is told of": "process.emit = () => false;\n" + config_map("1"),
    "an error that Node.js alone handles": "process.removeAllListeners('uncaughtException');\n"
    "setImmediate(() => { throw new Error('odd'); });\n",
    "a signal": "process.kill(process.pid, 'SIGTERM'); setTimeout(() => {}, 60000);\n",
}
"""Programs whose outcome is the same, whether their process is a fork or new."""
RENDERED = {
    *("what a program sees of its process", "an ES module", "threads and processes"),
    *("modules of Node.js's own", "work for threads"),
}


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


def test_programs_that_come_at_once_are_forks_each(container: NodeContainer) -> None:
    seen = container.place / "seen"
    command = 'fs.readFileSync("/proc/self/cmdline", "utf8")'
    folder = container.script(
        f'fs.appendFileSync({str(seen)!r}, {command} + "\\n");\n' + config_map("1")
    )
    container.until_waiting()
    with ExitStack() as opened:
        started = [opened.enter_context(container.start(folder)) for _ in range(6)]
        assert [process.wait(60) for process in started] == [0] * len(started)
    assert [ZYGOTE in line for line in seen.read_text().splitlines()] == [True] * len(started)


def test_what_a_program_does_to_its_process_reaches_no_other_render(
    container: NodeContainer,
) -> None:
    folder = container.script(config_map(SEEN))
    before = container.warmly(folder)
    container.warmly(container.script(SPOILING))
    assert container.warmly(folder) == before


DRAWING = (
    """
const crypto = require("crypto");
const { Worker } = require("worker_threads");
const code = "require('worker_threads').parentPort.postMessage(Math.random())";
module.exports = async () => {
    const made = new Worker(code, { eval: true });
    const told = await new Promise((resolve) => made.on("message", resolve));
    const drawn = [Math.random(), crypto.randomUUID(), crypto.randomInt(2 ** 40), told];
"""
    + config_map("JSON.stringify([...drawn, globalThis.crypto.randomUUID()])")
    + "};\n"
)


def test_no_two_programs_draw_the_same_numbers(container: NodeContainer) -> None:
    folder = container.script(DRAWING)
    rendered = [yaml.safe_load(container.warmly(folder)[1]) for _ in range(2)]
    drawn = [number for one in rendered for number in json.loads(one["data"]["value"])]
    assert len({*drawn}) == 10, drawn


def test_what_waits_has_nothing_of_a_render(container: NodeContainer) -> None:
    folder = container.script(config_map("process.env.ARGOCD_ENV_GIVEN"))
    given = {"ARGOCD_ENV_GIVEN": CANARY, "PULUMI_CONFIG_PASSPHRASE": "unlike-any-other"}
    assert CANARY in container.warmly(folder, **given)[1]
    for pid in [*container.until_waiting(), *container.zygotes()]:
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


@pytest.mark.parametrize("above", [1, 2, 3], ids=["guard", "zygote", "keeper"])
def test_a_render_is_whole_whatever_is_killed_above_its_program(
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
        assert ZYGOTE in read(pid, "cmdline")
        for _ in range(above):
            pid = ancestry.parent(pid)
        kill([pid])
        stdout, stderr = process.communicate(timeout=600)
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
        assert ZYGOTE in read(pid, "cmdline")
        process.send_signal(signal.SIGKILL)
    wait_until(lambda: not read(pid, "cmdline"))
    # The render clears away after its program.
    wait_until(lambda: not [*(container.place / "tmp").iterdir()])


PACKAGES = {
    "nothing": ("", "loaded"),
    "a variable": ("process.env.ASKED;", "loaded"),
    "its folder": ("process.cwd();", "a package asks for cwd() while it is loaded"),
    "all variables": (
        "Object.keys(process.env);",
        "a package looks through the environment while it is loaded",
    ),
    "an error": ("throw new Error('odd');", "a package fails (odd) while it is loaded"),
    "a number": ("Math.random();", "loaded"),
    "a word": ("console.log('a');", "a package uses process.stdout while it is loaded"),
    "numbers for later": (
        "require('crypto').randomUUID();",
        "a package asks for randomUUID() while it is loaded",
    ),
    "a thread": ("require('fs').readFile('/', () => {});", "loading them leaves a thread behind"),
    "a process": (
        "require('child_process').spawn('/bin/sleep', ['60'], { env: {} });",
        "loading them leaves a process behind",
    ),
    "a file": ("require('fs').openSync('/');", "loading them leaves a file open behind"),
}
"""What a package does when it is loaded, and what comes of it."""


@pytest.mark.filterwarnings("ignore:subprocess .* is still running")
@pytest.mark.parametrize("done", PACKAGES)
def test_packages_are_forked_only_if_no_program_can_tell(
    container: NodeContainer, done: str, tmp_path: Path
) -> None:
    code, said = PACKAGES[done]
    sdk, runner = package(tmp_path, "pulumi", ""), "cmd/run/index.js"
    (sdk / "cmd" / "run").mkdir(parents=True)
    (sdk / runner).touch()
    package(tmp_path, "kubernetes", code)
    script = container.place / "opt" / "plugin_image" / "renderer" / "pulumi" / "hosts" / ZYGOTE
    control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with control, theirs:
        number = theirs.fileno()
        places = [script, sdk / runner, tmp_path / "v8"]
        command = ["node", "--single-threaded", *map(str, places), str(number)]
        pid = launch.detached(command, {"PATH": os.environ["PATH"]}, pass_fds=[number])
        theirs.close()
        assert control.recv(100).decode() == said
        if said == "loaded":
            assert answer(control, {}) == b"started"
            refused = done == "a variable"
            assert answer(control, {"ASKED": "other"}) == (b"refused" if refused else b"started")
    processes.kill([*processes.descendants(pid), pid])
    os.waitpid(pid, 0)


def answer(control: socket.socket, env: dict[str, str]) -> bytes:
    """What a fork says to a run with this environment."""
    channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with channel, theirs:
        socket.send_fds(control, [forked.FORK], [theirs.fileno()])
        assert channel.recv(100) == forked.HERE
        connection, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with connection, its, os.fdopen(os.memfd_create("start"), "wb+", 0) as payload:
            start = {"cwd": "/", "env": {**env, "RENDERER_RUN": "{}"}, "arguments": []}
            payload.write(json.dumps({**start, "data_limit": [-1, -1]}).encode())
            nothing = os.open(os.devnull, os.O_RDWR)
            socket.send_fds(connection, [b"start"], [payload.fileno(), *[nothing] * 3])
            os.close(nothing)
            socket.send_fds(channel, [forked.HERE], [its.fileno()])
            its.close()
            return connection.recv(100)


def package(folder: Path, name: str, code: str) -> Path:
    made = folder / "node_modules" / "@pulumi" / name
    made.mkdir(parents=True)
    (made / "index.js").write_text(code)
    return made
