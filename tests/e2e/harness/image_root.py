"""The root file system of an image, put together from this machine's own folders.

No image is built or pulled here. System folders come from the host, read-only; what an
image adds is mounted at the image's paths.
"""

import os
import shutil
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from plugin_image.contract import CMP_UID, KPT_FUNCTIONS_DIR
from tests import toolchain
from tests.e2e.harness.container_init import Bind, Folder, Link, Mount, Step
from tests.e2e.harness.containers import User
from tests.e2e.harness.image_packages import node, node_modules, virtual_environment

REPOSITORIES = "/srv/repositories"

_USER = User(CMP_UID, CMP_UID)
_HOME = "/opt/renderer"
_FILES = Path(__file__).parent / "image_files"
_COMMANDS = "/usr/local/bin"
_SYSTEM_PATH = f"{_COMMANDS}:/usr/bin:/bin:/usr/sbin:/sbin"
_SYSTEM_FOLDERS = ("/usr", "/etc", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_DEVICES = ("null", "zero", "full", "random", "urandom")

_NETWORK_VARIABLES = {
    "ALL_PROXY",
    "GOFLAGS",
    "GOPROXY",
    "GOSUMDB",
    "GOTOOLCHAIN",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NODE_EXTRA_CA_CERTS",
    "NO_PROXY",
    "NPM_CONFIG_REGISTRY",
    "PIP_INDEX_URL",
    "REQUESTS_CA_BUNDLE",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "UV_DEFAULT_INDEX",
    "UV_INDEX_URL",
}


@dataclass(frozen=True)
class ImageRoot:
    """What a container gets from its image."""

    steps: tuple[Step, ...]
    environment: Mapping[str, str]
    user: User
    working_directory: str

    def with_folder(self, source: Path, at: str) -> "ImageRoot":
        """The same image with one folder more."""
        return replace(self, steps=(*self.steps, _bind(source, at)))


def argocd_image(argocd: Path, *, repositories: Path, commands: Iterable[Path] = ()) -> ImageRoot:
    """Argo CD's own image: one binary with a name for each role, git, and `commands`.

    The folder `repositories` is at REPOSITORIES in it, for `file://` URLs.
    """
    binary = f"{_COMMANDS}/argocd"
    return ImageRoot(
        steps=(
            *_system(),
            _bind(argocd, binary),
            _link(f"{_COMMANDS}/argocd-repo-server", binary),
            _bind(_FILES / "gitconfig", "/opt/image/gitconfig"),
            _bind(repositories, REPOSITORIES),
            *(_bind(command, f"{_COMMANDS}/{command.name}") for command in commands),
        ),
        environment={
            "PATH": _SYSTEM_PATH,
            "HOME": "/home/argocd",
            "GIT_CONFIG_GLOBAL": "/opt/image/gitconfig",
        },
        user=_USER,
        working_directory="/home/argocd",
    )


def haproxy_image(haproxy: Path) -> ImageRoot:
    """An image with HAProxy and a shell, as the official one is."""
    return ImageRoot(
        steps=(*_system(), *_outside_system_folders(haproxy.parent)),
        environment={"PATH": f"{_SYSTEM_PATH}:{haproxy.parent}"},
        user=_USER,
        working_directory="/",
    )


def plugin_image(sources: Path, *, commands: Iterable[Path] = ()) -> ImageRoot:
    """The image of this project, with its sources as they are in the work tree.

    `commands` are programs that a variant of the image adds: the Kubernetes provider,
    language hosts. Its packages are installed on first use. The variables by which this
    machine reaches package registries are part of it, with the files that they name.
    """
    venv = f"{_HOME}/venv"
    packages = [_bind(virtual_environment(sources / "requirements.txt", installed_at=venv), venv)]
    packages.append(_bind(node(sources), f"{_HOME}/node"))
    if modules := node_modules(sources):
        packages.append(_bind(modules, f"{_HOME}/node_modules"))
    go_folder, go = _runtime("go")
    network, variables = _network()
    return ImageRoot(
        steps=(
            *_system(),
            *_outside_system_folders(Path(sys.base_prefix)),
            *go,
            *network,
            *packages,
            *_renderer(sources),
            # Not every machine has it, so a stand-in is mounted instead of the host's.
            _bind(_FILES / "tini", f"{_COMMANDS}/tini"),
            *(_bind(command, f"{_COMMANDS}/{command.name}") for command in commands),
        ),
        environment={
            **variables,
            "HOME": "/home/argocd",
            "RENDERER_WARM_DIR": "/tmp/warm",
            "PATH": ":".join([f"{venv}/bin", f"{_HOME}/node", _SYSTEM_PATH, *go_folder]),
        },
        user=_USER,
        working_directory="/",
    )


def kpt_image(sources: Path, *, kpt: Path, functions: Iterable[Path]) -> ImageRoot:
    """The image with the renderer of kpt packages, and with no packages but what that needs."""
    venv = f"{_HOME}/venv"
    packages = virtual_environment(sources / "requirements-light.txt", installed_at=venv)
    return ImageRoot(
        steps=(
            *_system(),
            *_outside_system_folders(Path(sys.base_prefix)),
            _bind(packages, venv),
            *_renderer(sources),
            _bind(_FILES / "tini", f"{_COMMANDS}/tini"),
            _bind(kpt, f"{_COMMANDS}/kpt"),
            *(_bind(function, f"{KPT_FUNCTIONS_DIR}/{function.name}") for function in functions),
        ),
        environment={"HOME": "/home/argocd", "PATH": f"{venv}/bin:{_SYSTEM_PATH}"},
        user=_USER,
        working_directory="/",
    )


def _renderer(sources: Path) -> list[Step]:
    """Return the renderer's package and its command, beside which the one in Python is."""
    package, bin_folder = f"{_HOME}/plugin_image", f"{_HOME}/bin"
    return [
        _bind(sources, package),
        _link(f"{bin_folder}/renderer", f"{package}/bin/renderer"),
        _bind(toolchain.ensure(("client",))["client"], f"{bin_folder}/client"),
        _link(f"{_COMMANDS}/renderer", f"{bin_folder}/client"),
    ]


def _system() -> list[Step]:
    """Return what every image has: system folders, devices, processes, accounts."""
    steps: list[Step] = []
    for folder in map(Path, _SYSTEM_FOLDERS):
        if folder.is_symlink():
            steps.append(_link(str(folder), str(folder.readlink())))
        elif folder.is_dir():
            steps.append(_bind(folder))
    steps += _commands_of_the_host()
    steps += [_bind(_FILES / name, f"/etc/{name}") for name in ("passwd", "group")]
    # A symbolic link into /run on many systems.
    steps += _outside_system_folders(Path("/etc/resolv.conf").resolve())
    steps += [_mount("proc", "/proc"), _mount("tmpfs", "/dev", "mode=0755")]
    steps += [_bind(Path("/dev") / name, read_only=False) for name in _DEVICES]
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        steps.append(_link(f"/dev/{name}", f"/proc/self/fd/{number}"))
    steps.append(_link("/dev/fd", "/proc/self/fd"))
    for shared in ("/tmp", "/var/tmp", "/dev/shm"):
        steps.append(_folder(shared, 0o1777))
    steps.append(_folder("/home/argocd", 0o755))
    return steps


def _commands_of_the_host() -> list[Step]:
    """Make /usr/local/bin a folder to which images can add, with the host's entries in it."""
    steps: list[Step] = [_mount("tmpfs", _COMMANDS, "mode=0755")]
    for entry in sorted(Path(_COMMANDS).iterdir()):
        if entry.is_symlink():
            steps.append(_link(str(entry), str(entry.readlink())))
        else:
            steps.append(_bind(entry))
    return steps


def _runtime(program: str) -> tuple[list[str], list[Step]]:
    """Return the PATH entry and the steps that make a runtime of the host available, if it is."""
    found = shutil.which(program)
    if found is None:
        return [], []
    prefix = Path(found).resolve().parent.parent
    return [str(prefix / "bin")], _outside_system_folders(prefix)


def _network() -> tuple[list[Step], dict[str, str]]:
    """Return the host's variables for registries, and the files that they name."""
    variables = {k: v for k, v in os.environ.items() if k.upper() in _NETWORK_VARIABLES}
    files = {Path(value) for value in variables.values() if value.startswith("/")}
    steps = [step for path in sorted(files) for step in _outside_system_folders(path)]
    return steps, variables


def _outside_system_folders(path: Path) -> list[Step]:
    """Show a host path at its own place, unless a system folder brings it already."""
    inside = any(path.is_relative_to(folder) for folder in _SYSTEM_FOLDERS)
    return [] if inside or not path.exists() else [_bind(path)]


def _bind(source: Path, target: str | None = None, *, read_only: bool = True) -> Bind:
    return {
        "step": "bind",
        "source": str(source),
        "target": target or str(source),
        "read_only": read_only,
    }


def _mount(kind: Literal["tmpfs", "proc"], target: str, options: str = "") -> Mount:
    return {"step": kind, "target": target, "options": options}


def _folder(target: str, mode: int) -> Folder:
    return {"step": "folder", "target": target, "mode": mode}


def _link(target: str, to: str) -> Link:
    return {"step": "link", "target": target, "to": to}
