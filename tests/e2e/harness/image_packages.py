"""What the plugin image installs, installed once for each lock file into the cache."""

import platform
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.toolchain import cache, progress

_INSTALL_SECONDS = 60
# Retries of npm's own take more than a minute before it says that there is no registry.
_NPM_OPTIONS = ("--no-audit", "--no-fund", "--fetch-retries=1", "--loglevel=error")
_NPM = "Node.js packages come from the registry that `npm config get registry` names"
_PYTHON = "Python packages come from the index that `pip config list` names, or PyPI"
_WITHOUT = "lint, test-unit and what is built already work without it"


class PackageError(Exception):
    """Locked packages could not be installed; holds the installer's own words."""


def virtual_environment(requirements: Path, *, installed_at: str) -> Path:
    """Return a virtual environment with exactly the locked requirements.

    It is made for the Python that runs this, and is to be used at the path `installed_at`.
    """

    def build(folder: Path) -> None:
        venv = folder / "venv"
        _run([sys.executable, "-I", "-m", "venv", str(venv)])
        pip = [str(venv / "bin" / "python"), "-I", "-m", "pip", "install", "--quiet", "--no-input"]
        _run([*pip, "--require-hashes", f"--requirement={requirements}"])
        _move_scripts(venv, to=installed_at)

    python = [sys.base_prefix, sys.version, sysconfig.get_platform()]
    entry = cache.key("venv", [*python, installed_at, requirements.read_bytes()])
    return _make(entry, "locked Python packages", build) / "venv"


def node_modules(package: Path) -> Path | None:
    """Return the modules of `package`'s package-lock.json, or None when there is none."""
    sources = [package / "package.json", package / "package-lock.json"]
    if not all(source.is_file() for source in sources):
        return None

    def build(folder: Path) -> None:
        for source in sources:
            shutil.copy(source, folder)
        _run(["npm", "ci", *_NPM_OPTIONS, "--ignore-scripts"], cwd=folder)

    contents = [source.read_bytes() for source in sources]
    entry = cache.key("node-modules", contents)
    return _make(entry, "locked Node.js packages", build) / "node_modules"


def node_managers(package: Path) -> Path:
    """Return a folder with the package managers of Node.js that `package` has beside npm."""
    programs = {
        "pnpm": "pnpm/bin/pnpm.cjs",
        "pnpm-7": "pnpm-7/bin/pnpm.cjs",
        "pnpm-8": "pnpm-8/bin/pnpm.cjs",
        "yarn": "yarn/bin/yarn.js",
        "yarn-3": "yarn-3/bin/yarn.js",
        "yarn-berry": "@yarnpkg/cli-dist/bin/yarn.js",
    }
    sources = [package / "managers" / name for name in ("package.json", "package-lock.json")]

    def build(folder: Path) -> None:
        for source in sources:
            shutil.copy(source, folder)
        _run(["npm", "ci", *_NPM_OPTIONS, "--ignore-scripts"], cwd=folder)
        (folder / "bin").mkdir()
        for name, path in programs.items():
            (folder / "node_modules" / path).chmod(0o755)
            (folder / "bin" / name).symlink_to(f"../node_modules/{path}")

    entry = cache.key("node-managers", [source.read_bytes() for source in sources])
    return _make(entry, "the plugin image's package managers", build) / "bin"


def node(package: Path) -> Path:
    """Return the folder of the Node.js that `package`'s Dockerfile names, as npm has it."""
    found = re.search(r"/node:([\d.]+)-", (package / "Dockerfile").read_text())
    assert found, "the Dockerfile names no image of Node.js"
    machine = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    name = f"node-{sys.platform}-{machine}"

    def build(folder: Path) -> None:
        wanted = f"{name}@{found[1]}"
        _run(["npm", "install", *_NPM_OPTIONS, "--prefix", str(folder), wanted])

    entry = cache.key("node", [name, found[1]])
    return _make(entry, "the plugin image's Node.js", build) / "node_modules" / name / "bin"


def _make(entry: str, what: str, build: Callable[[Path], None]) -> Path:
    if found := cache.find(entry):
        return found
    with progress.step(what, how="install", seconds=_INSTALL_SECONDS):
        return cache.make(entry, build)


def _move_scripts(venv: Path, *, to: str) -> None:
    """Let the scripts start the interpreter at the path where they will find it."""
    for script in (venv / "bin").iterdir():
        content = b"" if script.is_symlink() else script.read_bytes()
        if content.startswith(b"#!"):
            script.write_bytes(content.replace(bytes(venv), to.encode()))


def _run(command: Sequence[str], *, cwd: Path | None = None) -> None:
    try:
        done = subprocess.run(
            command,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
    except FileNotFoundError as error:
        raise PackageError(
            f"`{command[0]}` is missing: install it and put it on PATH. {_WITHOUT.capitalize()}"
        ) from error
    if done.returncode:
        name = Path(command[0]).name
        registry = _NPM if name == "npm" else _PYTHON
        said = done.stdout.strip()
        raise PackageError(f"`{name}` failed. {registry}; {_WITHOUT}. It said:\n{said}")
