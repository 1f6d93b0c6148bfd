"""`python -m tests.prerequisites TARGET...`: what this machine lacks for targets of the Makefile.

A line for each: for which target, what is missing, what to do, and what works without it. Runs
before anything is installed, so it needs nothing but Python, and changes nothing. It does not ask
whether registries answer: what was had before needs none.
"""

import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tests.virtual_environment import COMPLETE

ROOT = Path(__file__).parents[1]

_GB = 10**9
_PACKAGES = 0.8 * _GB
"""Of disk space, for `.venv`."""
_PARTS = 2.0 * _GB
"""Of disk space, for all that is downloaded or built when nothing is there."""
_RUN = 0.3 * _GB
"""Of disk space, for what any run writes: logs, repositories, packages of programs."""

_SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_CONTAINER = ("unshare", "--mount-proc", "--pid", "--fork")
_UNPRIVILEGED = ("--map-user=999", "--map-group=999", "--keep-caps")
"""How the process of a container is started, and what is added by somebody who is not root."""

Need = Callable[[], str | None]
"""Looks for one thing. Returns what is missing and what to do about it, or None."""


def main(targets: Sequence[str]) -> int:
    """Write what is missing for any of these targets; 1 when they cannot be made like that."""
    for line in notes(targets):
        sys.stderr.write(f"note: {line}\n")
    lines = obstacles(targets)
    for line in lines:
        sys.stderr.write(f"error: {line}\n")
    return 1 if lines else 0


def obstacles(targets: Sequence[str]) -> list[str]:
    """Return a line for everything that targets cannot do without, and that is missing."""
    needs = dict.fromkeys(need for target in targets for need in NEEDS.get(target, ()))
    return [
        f"make {' '.join(target for target in targets if need in NEEDS.get(target, ()))}: "
        f"{missing}. {_what_works_without(need)}"
        for need in needs
        if (missing := need())
    ]


def notes(targets: Sequence[str]) -> list[str]:
    """Return a line for what may be missed later on by targets that are made for the first time."""
    first = [target for target in targets if target in _GO_PERHAPS]
    missing = go() if first and not cache_folder().exists() else None
    if not missing:
        return []
    return [
        f"make {' '.join(first)}: {missing}. It does without, unless a part can neither be found "
        "on this machine nor downloaded, and has to be built"
    ]


def ensurepip() -> str | None:
    """Python can make a virtual environment, if there is none yet."""
    if _installed() or importlib.util.find_spec("ensurepip"):
        return None
    return (
        f"{sys.executable} cannot make virtual environments, because it has no module ensurepip. "
        "Install it (on Debian and Ubuntu: python3-venv), or name another Python by PYTHON="
    )


def space_for_packages() -> str | None:
    """The work tree has room for `.venv`."""
    return lacking_space((ROOT, _RUN if _installed() else _PACKAGES))


def space_for_parts() -> str | None:
    """There is room for all that real parts need, `.venv` included."""
    cache = cache_folder()
    return lacking_space(
        (ROOT, _RUN if _installed() else _PACKAGES),
        (cache, _RUN if cache.exists() else _PARTS),
        (Path(os.environ.get("TMPDIR", "/tmp")), _RUN),
    )


def linux() -> str | None:
    """The system is Linux."""
    system = platform.system()
    if system == "Linux":
        return None
    return f"this is {system}, and the real parts need Linux. Use a virtual machine"


def node() -> str | None:
    """Node.js is new enough, and npm is there."""
    lacking = _lacking_program("node", "--version", at_least=(20, 0)) or _lacking_program("npm")
    return lacking and (
        f"{lacking}. Install Node.js 20 or newer with npm, from https://nodejs.org/ or with your "
        "package manager"
    )


def go() -> str | None:
    """Go is new enough to fetch the version that is needed."""
    lacking = _lacking_program("go", "version", at_least=(1, 21))
    return lacking and (
        f"{lacking}. Install Go 1.21 or newer, which fetches the version that is needed, from "
        "https://go.dev/dl/ or with your package manager"
    )


def git() -> str | None:
    """Git is there."""
    lacking = _lacking_program("git")
    return lacking and f"{lacking}. Install Git with your package manager"


def haproxy() -> str | None:
    """HAProxy is there, or can be unpacked from packages of Debian."""
    if shutil.which("apt-get"):
        return None
    lacking = _lacking_program("haproxy")
    return lacking and f"{lacking}. Install HAProxy 2.6 or newer with your package manager"


def namespaces() -> str | None:
    """Containers may run as processes with namespaces of their own."""
    if linux():
        return None  # There is no way to allow them.
    root = os.geteuid() == 0
    command = [*_CONTAINER, *(() if root else _UNPRIVILEGED), "true"]
    if shutil.which(command[0], path=_SYSTEM_PATH) is None:
        return "there is no `unshare`. Install util-linux with your package manager"
    done = subprocess.run(
        command,
        env={"PATH": _SYSTEM_PATH, "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode == 0:
        return None
    advice = (
        "Use the machine itself, or a container that is a privileged one"
        if root
        else "Be root, or allow unprivileged user namespaces (sysctl user.max_user_namespaces;"
        " on Ubuntu kernel.apparmor_restrict_unprivileged_userns)"
    )
    said = " ".join(done.stdout.split())
    return f"no container can run as a process: `{' '.join(command)}` says {said!r}. {advice}"


_PYTHON: tuple[Need, ...] = (ensurepip, space_for_packages)
_PROGRAMS: tuple[Need, ...] = (ensurepip, space_for_parts, linux, node)
_PROCESSES: tuple[Need, ...] = (*_PROGRAMS, git, namespaces)

NEEDS: Mapping[str, Sequence[Need]] = {
    ".venv": _PYTHON,
    "lint": _PYTHON,
    "format": _PYTHON,
    "lock": _PYTHON,
    "recordings": _PYTHON,
    "image": (),
    "demo": _PROCESSES,
    "toolchain": (ensurepip, space_for_parts, linux),
    "test": (*_PROCESSES, go, haproxy),
    "test-all": (*_PROCESSES, go, haproxy),
    "test-unit": _PYTHON,
    "test-render": (*_PROGRAMS, go),
    "test-faults": (*_PROGRAMS, go),
    "test-e2e": (*_PROCESSES, go, haproxy),
    "test-thorough": (*_PROGRAMS, go),
    "test-public": (*_PROGRAMS, go),
    "test-cluster": (ensurepip, space_for_parts, linux, go),
    "bench": (*_PROCESSES, go),
}
"""What each target cannot do without."""

_WORTH_NAMING = ("demo", "lint", "test-unit", "test-render", "test-e2e", "test-cluster", "image")

_GO_PERHAPS = ("demo", "toolchain")


def cache_folder() -> Path:
    """Return where real parts are kept, as `tests.toolchain` has it, which may need packages."""
    if chosen := os.environ.get("ARGOCD_PULUMI_PLUGIN_CACHE"):
        return Path(chosen).absolute()
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "argocd-pulumi-plugin" / "toolchain"


def _installed() -> bool:
    return (ROOT / ".venv" / COMPLETE).exists()


def _what_works_without(need: Need) -> str:
    others = [target for target in _WORTH_NAMING if need not in NEEDS[target]]
    return f"What works without it: {', '.join(others)}"


def _lacking_program(name: str, *ask: str, at_least: tuple[int, int] | None = None) -> str | None:
    path = shutil.which(name)
    if path is None:
        return f"there is no `{name}` on PATH"
    if at_least is None:
        return None
    answer = subprocess.run([path, *ask], stdout=subprocess.PIPE, text=True).stdout
    version = re.search(r"(\d+)\.(\d+)", answer)
    if version and (int(version[1]), int(version[2])) >= at_least:
        return None
    return f"{path} is too old: {answer.strip()}"


def lacking_space(*wishes: tuple[Path, float]) -> str | None:
    """Say which folders are on a file system without room for all that they are to take."""
    together: dict[int, list[tuple[Path, float]]] = defaultdict(list)
    for folder, size in wishes:
        together[_existing(folder).stat().st_dev].append((folder, size))
    for here in together.values():
        free = shutil.disk_usage(_existing(here[0][0])).free
        needed = sum(size for _, size in here)
        if free < needed:
            folders = " and ".join(dict.fromkeys(str(folder) for folder, _ in here))
            return (
                f"{free / _GB:.1f} GB are free for {folders}, and {needed / _GB:.1f} GB are needed "
                "there. Make room, or name other folders by ARGOCD_PULUMI_PLUGIN_CACHE and TMPDIR"
            )
    return None


def _existing(folder: Path) -> Path:
    return next(path for path in (folder, *folder.parents) if path.exists())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
