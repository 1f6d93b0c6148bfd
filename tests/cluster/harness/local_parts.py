"""What a build takes from public registries otherwise, made on this machine.

A Debian system bootstrapped from the package mirror stands for the base image, npm's package
of Node.js and this machine's Go for theirs, and what `tests.toolchain` builds for what Pulumi
publishes. `arguments()` puts them in their places.
"""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path

from tests import toolchain
from tests.cluster.harness.docker_engine import Build, DockerEngine, DockerError
from tests.e2e.harness import image_packages
from tests.e2e.harness.pulumi_stack import ROOT
from tests.toolchain import KPT_FUNCTIONS, cache, progress

_CONTEXT = ROOT / "plugin_image"
_PULUMI_TOOLS = ("pulumi-resource-kubernetes", "pulumi-language-yaml")
_SUITE = "bookworm"
_MIRROR = "http://deb.debian.org/debian"
_SECONDS = 60
_LEFT_OUT = ("./var/cache/apt/archives/*.deb", "./var/lib/apt/lists/*")


def arguments(engine: DockerEngine) -> Mapping[str, str]:
    """Return the build arguments that replace public images, which are made when missing."""
    node = image_packages.node(_CONTEXT)
    tools = toolchain.ensure(_PULUMI_TOOLS)
    kpt = toolchain.ensure(["kpt", *KPT_FUNCTIONS])
    charts = toolchain.ensure(["helm", "kustomize"])
    return {
        "BASE_IMAGE": _ensure(engine, "base", [_SUITE], _base),
        "NODE_IMAGE": _ensure(engine, "node", [str(node)], partial(_node, node / "node")),
        "GO_IMAGE": _ensure(engine, "go", [_run("go", "env", "GOVERSION")], _go),
        "TOOLS_IMAGE": _ensure(engine, "tools", map(str, tools.values()), partial(_tools, tools)),
        "KPT_TOOLS_IMAGE": _ensure(engine, "kpt", map(str, kpt.values()), partial(_kpt, kpt)),
        "CHART_TOOLS_IMAGE": _ensure(
            engine, "charts", map(str, charts.values()), partial(_tools, charts)
        ),
        # Nothing but today's packages can be had from an ordinary mirror.
        "DEBIAN_SNAPSHOT": "",
    }


def secrets() -> Mapping[str, Path]:
    """Return the build secrets: the authorities that this machine trusts, where it names them."""
    bundle = os.environ.get("SSL_CERT_FILE")
    return {"ca-bundle": Path(bundle)} if bundle else {}


def _ensure(
    engine: DockerEngine, name: str, inputs: Iterable[str], make: Callable[[Path], None]
) -> str:
    """Return the tag of an image that is made once for the same inputs."""
    entry = cache.key(f"image-{name}", [*inputs, Path(__file__).read_bytes()])
    tag = f"plugin-tests/{name}:{entry.rpartition('-')[2]}"
    if not engine.run("image", "ls", "--quiet", tag):
        with progress.step(tag, how="build", seconds=_SECONDS):
            engine.build(Build(context=cache.make(entry, make), tag=tag))
    return tag


def _base(folder: Path) -> None:
    """Write a context with a minimal Debian, owned and with modes as packages say."""
    root = folder / "root"
    _run("debootstrap", "--variant=minbase", _SUITE, str(root), _MIRROR)
    left_out = [f"--exclude={pattern}" for pattern in _LEFT_OUT]
    archive = str(folder / "root.tar")
    _run("tar", f"--directory={root}", "--numeric-owner", *left_out, f"--file={archive}", "-c", ".")
    shutil.rmtree(root)
    (folder / "Dockerfile").write_text("FROM scratch\nADD root.tar /\n")


def _node(node: Path, folder: Path) -> None:
    """Write a context with Node.js and npm where the public image has them."""
    npm = shutil.which("npm")
    if npm is None:
        raise DockerError("npm is missing: install it and put it on PATH")
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


def _tools(tools: Mapping[str, Path], folder: Path) -> None:
    """Write a context with programs that the image wants."""
    (folder / "tools").mkdir()
    for name, path in tools.items():
        shutil.copy(path, folder / "tools" / name)
    (folder / "Dockerfile").write_text("FROM scratch\nCOPY tools /tools\n")


def _kpt(tools: Mapping[str, Path], folder: Path) -> None:
    """Write a context with kpt and its functions."""
    functions = folder / "tools" / "functions"
    functions.mkdir(parents=True)
    for name, path in tools.items():
        shutil.copy(path, functions / name if name in KPT_FUNCTIONS else folder / "tools" / name)
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
