"""What a build takes from public registries otherwise, made on this machine.

A Debian system bootstrapped from the package mirror stands for the base image, this
machine's Node.js and Go for theirs, and what `tests.toolchain` builds for what Pulumi
publishes. `arguments()` puts them in their places.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

from tests import toolchain
from tests.cluster.harness.docker_engine import Build, DockerEngine, DockerError
from tests.toolchain import cache
from tests.toolchain.progress import Progress

BASE = "plugin-tests/base:bookworm"
NODE = "plugin-tests/node:local"
GO = "plugin-tests/go:local"
TOOLS = "plugin-tests/tools:local"

_PULUMI_TOOLS = ("pulumi-resource-kubernetes", "pulumi-language-yaml")
_SUITE = "bookworm"
_MIRROR = "http://deb.debian.org/debian"
_SECONDS = 60
_LEFT_OUT = ("./var/cache/apt/archives/*.deb", "./var/lib/apt/lists/*")


def arguments(engine: DockerEngine) -> Mapping[str, str]:
    """Return the build arguments that replace public images, which are made when missing."""
    _ensure(engine, BASE, _base)
    _ensure(engine, NODE, _node)
    _ensure(engine, GO, _go)
    _ensure(engine, TOOLS, _tools)
    return {
        "BASE_IMAGE": BASE,
        "NODE_IMAGE": NODE,
        "GO_IMAGE": GO,
        "TOOLS_IMAGE": TOOLS,
        # Nothing but today's packages can be had from an ordinary mirror.
        "DEBIAN_SNAPSHOT": "",
    }


def secrets() -> Mapping[str, Path]:
    """Return the build secrets: the authorities that this machine trusts, where it names them."""
    bundle = os.environ.get("SSL_CERT_FILE")
    return {"ca-bundle": Path(bundle)} if bundle else {}


def _ensure(engine: DockerEngine, tag: str, make: Callable[[Path], None]) -> None:
    if json.loads(engine.run("image", "ls", "--format={{json .ID}}", tag) or "null"):
        return
    with Progress().step(tag, number=1, total=1, seconds=_SECONDS):
        entry = cache.key("image-part", [tag, Path(__file__).read_bytes()])
        engine.build(Build(context=cache.make(entry, make), tag=tag))


def _base(folder: Path) -> None:
    """Write a context with a minimal Debian, owned and with modes as packages say."""
    root = folder / "root"
    _run("debootstrap", "--variant=minbase", _SUITE, str(root), _MIRROR)
    left_out = [f"--exclude={pattern}" for pattern in _LEFT_OUT]
    archive = str(folder / "root.tar")
    _run("tar", f"--directory={root}", "--numeric-owner", *left_out, f"--file={archive}", "-c", ".")
    shutil.rmtree(root)
    (folder / "Dockerfile").write_text("FROM scratch\nADD root.tar /\n")


def _node(folder: Path) -> None:
    """Write a context with Node.js and npm where the public image has them."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        raise DockerError("Node.js or npm is missing: install them and put them on PATH")
    (folder / "bin").mkdir()
    shutil.copy(node, folder / "bin" / "node")
    shutil.copytree(Path(npm).resolve().parent.parent, folder / "lib" / "node_modules" / "npm")
    (folder / "Dockerfile").write_text(
        "FROM scratch\nCOPY bin /usr/local/bin\nCOPY lib /usr/local/lib\n"
    )


def _go(folder: Path) -> None:
    """Write a context with the Go distribution where the public image has it."""
    root = Path(_run("go", "env", "GOROOT").strip())
    shutil.copytree(root, folder / "go", symlinks=True)
    (folder / "Dockerfile").write_text("FROM scratch\nCOPY go /usr/local/go\n")


def _tools(folder: Path) -> None:
    """Write a context with the programs of Pulumi that the image wants."""
    (folder / "tools").mkdir()
    for name, path in toolchain.ensure(_PULUMI_TOOLS).items():
        shutil.copy(path, folder / "tools" / name)
    (folder / "Dockerfile").write_text("FROM scratch\nCOPY tools /tools\n")


def _run(*command: str) -> str:
    done = subprocess.run(
        command,
        env={"PATH": os.environ["PATH"], "HOME": os.environ["HOME"]},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode:
        raise DockerError(f"{' '.join(command)}:\n{done.stdout}")
    return done.stdout
