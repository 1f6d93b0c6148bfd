"""What is kept of Node.js for a set of packages: what is forked for runs, and what compiles before.

A fork becomes the program's own process. They are used for packages that the cache or the image
has, all in one folder, without `nodeargs`, and where no variable is set that Node.js heeds when it
starts. Where there is none, or it turns the run down, a new one is started (`zygotes.py`). Sources
are compiled before, by a process that stays: see `nodejs_compiler.py`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ...keeping import Keepable, Kept
from ...launch import Start
from ..execution import Execution
from ..installer import tool
from . import nodejs_layout, nodejs_options, nodejs_packages
from .host import Installed
from .zygotes import Zygotes

RUNNER: Final = Path(__file__).with_name("nodejs_runner.js")
_ZYGOTE: Final = Path(__file__).with_name("nodejs_zygote.js")
_COMPILER: Final = Path(__file__).with_name("nodejs_compiler.js")
_COMPILER_BYTES: Final = 400 * 2**20
"""What it takes while it loads."""
_FORKABLE: Final = "--single-threaded"
"""Of V8: threads are in no fork."""
_NO_MODULES: Final = json.dumps({"places": {}, "imports": False})
_SURROUNDINGS: Final = (
    *("LANG", "LANGUAGE", "LC_", "PATH", "TZ", "SSL_CERT_", "NODE_EXTRA_CA_CERTS", "NODE_OPTIONS"),
    # Loading the SDK depends on it, and it is nearly always the same.
    "PULUMI_ERROR_OUTPUT_STRING",
)
"""How variables begin that Node.js, or what it loads, reads when it starts."""
_HEEDED_AT_START: Final = ("NODE_", "UV_", "ICU_", "OPENSSL_", "LD_", "GLIBC_", "MALLOC_")
"""How variables begin that change Node.js as it starts; a plugin passes hardly ever one of them."""


@dataclass(frozen=True)
class Packages:
    """A set of packages, and what of Node.js is kept for it."""

    kept: Kept
    node: str
    runner: Path
    """The SDK's."""
    machine_code: Path
    folder: Path
    is_brought: bool
    """Whether the packages are not those of the image."""

    def zygotes(self) -> Zygotes:
        """What is forked for the runs of programs."""
        return Zygotes(self.kept, self._zygote)

    def compiler(self, env: Mapping[str, str]) -> Keepable:
        """What compiles sources, where the container has this environment."""
        return Keepable(
            kind="in turn",
            command=(self.node, str(_COMPILER), str(self.runner), str(self.machine_code)),
            env=_surroundings(env),
            packages=str(self.folder),
            is_brought=self.is_brought,
            bytes=_COMPILER_BYTES,
        )

    def _zygote(self, start: Start) -> Keepable | None:
        if [*map(str, start.command[:2])] != [self.node, str(RUNNER)]:
            return None
        loads = (str(_ZYGOTE), str(self.runner), str(self.machine_code))
        return Keepable(
            kind="forked",
            command=(self.node, _FORKABLE, *loads),
            env={**_surroundings(start.env), "RENDERER_MODULES": _NO_MODULES},
            packages=str(self.folder),
            is_brought=self.is_brought,
        )


def of(execution: Execution, installed: Installed, modules: Path) -> Packages | None:
    """The packages of a run that may use what is kept; None where it may not."""
    options = nodejs_options.read(execution.project)
    machine_code = execution.cache.folder_of("v8")
    if (
        execution.kept is None
        # By which it is forked: the image has it.
        or not (nodejs_packages.IMAGE_MODULES / "koffi").exists()
        or {modules} != {*installed.places.values()}
        or not stays(modules, execution)
        or not stays(machine_code, execution)
        or options.node
        or options.loaded
        or any(map(_is_heeded_at_start, execution.env))
    ):
        return None
    runner = modules / nodejs_layout.SDK / "cmd" / "run" / "index.js"
    node = str(tool("node", execution.env))
    is_brought = modules != nodejs_packages.IMAGE_MODULES
    return Packages(execution.kept, node, runner, machine_code, modules, is_brought)


def _surroundings(env: Mapping[str, str]) -> dict[str, str]:
    return {key: value for key, value in env.items() if key.startswith(_SURROUNDINGS)}


def stays(folder: Path, execution: Execution) -> bool:
    """Whether a folder is not this render's own."""
    return folder == nodejs_packages.IMAGE_MODULES or folder.is_relative_to(execution.cache.folder)


def _is_heeded_at_start(variable: str) -> bool:
    # Where certificates are stays the same.
    return variable.startswith(_HEEDED_AT_START) and variable != "NODE_EXTRA_CA_CERTS"
