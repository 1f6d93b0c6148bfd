"""A program in a Node.js that waited ends as in a new one, and what waits has nothing of a run."""

import json
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from plugin_image.renderer import ancestry, processes
from tests.faults.warm import COLD, kill, read, wait_until
from tests.faults.warm_nodejs import (
    WAITING,
    NodeContainer,
    config_map,
    is_from_snapshot,
    runs,
    warm_container,
)
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
    wait_until(lambda: any(map(is_from_snapshot, container.waiting())))
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
