"""A plugin's container as far as its renders see it, with the processes that are kept in it."""

import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from plugin_image.contract import RendererEnv
from plugin_image.renderer import ancestry, processes
from tests import toolchain
from tests.faults import registries
from tests.render.corpus import ROOT

COMMAND = ROOT / "plugin_image" / "bin" / "renderer"
"""Of the renderer, in Python."""
IMPORTS = "import os, sys\nimport pulumi\nimport pulumi_kubernetes as k8s\n"
COLD = {RendererEnv.WARM_DIR.value: ""}
"""The environment of a render without anything that is kept."""
ZYGOTE = "python_zygote.py"
ZYGOTES = (ZYGOTE, "nodejs_zygote.js")
WAIT_FOR = "import time\nwhile not os.path.exists({!r}): time.sleep(0.02)\n"
"""Code of a program that waits for a file."""
COMMAND_LINE = "open(f'/proc/{os.getpid()}/cmdline').read().replace(chr(0), ' ')"
"""Of the process that a program runs in."""
_PATIENCE_SECONDS = 600
_LEFT_OUT = ("RENDERER_", "LANG", "LC_")
"""How the variables of this machine begin that a container has none of."""
_SDK = sysconfig.get_path("purelib")


class Container:
    """An environment, a place for files, and packages that programs may name."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.warm = place / "warm"
        self.env = {
            # No locale: what an interpreter makes of that counts for no difference.
            **{name: value for name, value in os.environ.items() if not name.startswith(_LEFT_OUT)},
            "HOME": str(place),
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "TMPDIR": str(place / "tmp"),
            RendererEnv.CACHE_DIR.value: str(place / "cache"),
            # Other tests keep the machine busy.
            RendererEnv.DEADLINE.value: "300",
            RendererEnv.WARM_DIR.value: str(self.warm),
            "ARGOCD_APP_NAME": "app",
            "ARGOCD_ENV_PULUMI_STACK": "dev",
            "UV_FIND_LINKS": str(place / "wheels"),
            "UV_OFFLINE": "1",
            # These renders are to be made; `test_results.py` is about those that need not be.
            "ARGOCD_ENV_PULUMI_CACHE": "false",
        }
        (place / "tmp").mkdir(parents=True)
        (place / "wheels").mkdir()
        self.command = self.client(COMMAND)
        self._programs = 0
        self.requirements = self.package("own")

    def client(self, command: Path) -> Path:
        """The command that cmp-server runs, with one in Python beside it."""
        folder = self.place / "command"
        folder.mkdir(exist_ok=True)
        (folder / "renderer").unlink(missing_ok=True)
        (folder / "renderer").symlink_to(command)
        return Path(shutil.copy(toolchain.ensure(("client",))["client"], folder))

    def package(self, name: str, loading: str = "") -> str:
        """What to write into requirements.txt for a set of packages.

        It has the image's SDK, and runs the code `loading` when an interpreter starts.
        """
        files = {f"{name}.py": loading, f"{name}.pth": f"{_SDK}\nimport {name}\n"}
        wheel = self.place / "wheels" / f"{name}-1.0-py3-none-any.whl"
        wheel.write_bytes(registries.wheel(name, **files))
        return f"{name}==1.0\n"

    def project(self, program: str, requirements: str | None = None, **files: str) -> Path:
        """A new project of a Python program, with packages of its own, or the image's for ""."""
        self._programs += 1
        folder = self.place / f"project-{self._programs}"
        folder.mkdir()
        wanted = self.requirements if requirements is None else requirements
        given = {
            "Pulumi.yaml": "name: odd\nruntime: python\n",
            "__main__.py": IMPORTS + program,
            **({"requirements.txt": wanted} if wanted else {}),
        }
        for name, content in {**given, **files}.items():
            (folder / name).write_text(content)
        return folder

    def start(self, folder: Path, renderer: str = "pulumi", **env: str) -> subprocess.Popen[str]:
        """What cmp-server does."""
        return subprocess.Popen(
            [self.command, renderer, "generate"],
            cwd=folder,
            env={**self.env, **env},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def generate(self, folder: Path, renderer: str = "pulumi", **env: str) -> tuple[int, str, str]:
        """Status, stdout, stderr."""
        with self.start(folder, renderer, **env) as process:
            stdout, stderr = process.communicate(timeout=_PATIENCE_SECONDS)
        return process.returncode, stdout, stderr

    def objects(self, program: str, **env: str) -> str:
        """What a program renders to."""
        status, stdout, stderr = self.generate(self.project(program), **env)
        assert status == 0, stderr
        return stdout

    def until_warm(self, requirements: str | None = None) -> None:
        """Render until that is done by what is kept."""
        folder = self.project(config_map(COMMAND_LINE), requirements)
        rendered: list[tuple[int, str, str]] = []

        def is_warm() -> bool:
            rendered[:] = [self.generate(folder)]
            return ZYGOTE in rendered[0][1]

        wait_until(is_warm, lambda: f"the last of its renders gave {rendered}; {self._there()}")
        wait_until(self.is_quiet, self._there)

    def servers(self) -> list[int]:
        """The server, also one that is about to end."""
        word = f"serve\0{self.warm}/"
        found = {pid for pid in pids() if word in read(pid, "cmdline")}
        # A render's process may end in between, and has no parent then.
        return [pid for pid in found if ancestry.parent(pid) not in {0, *found}]

    def keepers(self) -> list[int]:
        """The keepers."""
        return [ancestry.parent(pid) for pid in self.zygotes()]

    def zygotes(self) -> list[int]:
        """What is kept and forked for programs."""
        found = (pid for server in self.servers() for pid in grandchildren(server))
        return [pid for pid in found if any(name in read(pid, "cmdline") for name in ZYGOTES)]

    def kept(self) -> list[int]:
        """What stays there from one render to the next."""
        return [*self.servers(), *self.keepers(), *self.zygotes()]

    def spares(self) -> list[tuple[int, int]]:
        """The forks that wait for the next render: guard, and what will be the program."""
        return [
            (guard, waiting)
            for zygote in self.zygotes()
            for guard in processes.children(zygote)
            for waiting in processes.children(guard)
            # A program is in its own folder.
            if working_folder(waiting) == working_folder(zygote)
        ]

    def next_renders(self) -> list[int]:
        """The fork of the server that waits for the next render."""
        return [
            fork
            for server in self.servers()
            for fork in processes.children(server)
            # A render is in its own folder, and something is below a keeper.
            if working_folder(fork) == working_folder(server)
            if not processes.children(fork)
        ]

    def there(self) -> list[int]:
        """All that is there."""
        servers = self.servers()
        return [*servers, *(pid for server in servers for pid in processes.descendants(server))]

    def is_quiet(self) -> bool:
        """Whether nothing is there but what is kept, and what waits for the next render."""
        spares = [pid for spare in self.spares() for pid in spare]
        return sorted(self.there()) == sorted([*self.kept(), *spares, *self.next_renders()])

    def is_ready(self) -> bool:
        """Whether all waits for the next render, and nothing else is there."""
        wait = len(self.spares()), len(self.next_renders())
        return wait == (len(self.zygotes()), len(self.servers())) and self.is_quiet()

    def _there(self) -> str:
        commands = [read(pid, "cmdline").replace("\0", " ") for pid in self.there()]
        return f"there are {commands}, and {Path('/proc/loadavg').read_text()} is the load"

    def kill(self) -> None:
        """Kill all that is there."""
        processes.kill(self.there())


def config_map(value: str) -> str:
    """A program whose ConfigMap has the string of a Python expression."""
    return (
        f"value = str({value})\n"
        "k8s.core.v1.ConfigMap('found', metadata={'name': 'found'}, data={'value': value})\n"
    )


def pids() -> list[int]:
    """Every process."""
    return [int(process.name) for process in Path("/proc").glob("[0-9]*")]


def read(pid: int, name: str) -> str:
    """What the kernel tells of a process; nothing of one that has ended."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/{name}").read_text()
    return ""


def working_folder(pid: int) -> str:
    """Where a process is; nowhere if it has ended."""
    with suppress(OSError):
        return str(Path(f"/proc/{pid}/cwd").readlink())
    return ""


def grandchildren(pid: int) -> list[int]:
    """The children of a process's children."""
    return [below for child in processes.children(pid) for below in processes.children(child)]


def kill(pids: list[int]) -> None:
    """Kill processes, all of which are there."""
    for pid in pids:
        os.kill(pid, signal.SIGKILL)


def wait_until(holds: Callable[[], object], state: Callable[[], str] = str) -> None:
    """Wait until it holds; `state` tells what is there where that never comes."""
    end = time.monotonic() + _PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < end, f"it never came true: {state()}"
        # To look takes a processor from what is waited for.
        time.sleep(0.1)
