"""Node.js that has loaded a set of packages and waits: in place of a new one, for one run.

Node.js cannot be forked, so a waiting process (`nodejs_waiting.js`) becomes the program's own. They
are used for packages that the cache or the image has, all in one folder, without `nodeargs`, and
where no variable is set that Node.js heeds when it starts. Where none is ready, or it turns the run
down, a new one is started. Sources are compiled before, by a process that stays: see
`nodejs_compiler.py`.
"""

import hashlib
import json
import os
import socket
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

from ... import launch, waiting
from ...keeping import Keepable, Kept, NotLentError
from ...launch import Process, Start
from ..execution import Execution
from ..installer import tool
from . import nodejs_layout, nodejs_options, nodejs_packages
from .host import Installed
from .lent import SECONDS, LentProcess, lent_or_new

RUNNER: Final = Path(__file__).with_name("nodejs_runner.js")
_WAITING: Final = Path(__file__).with_name("nodejs_waiting.js")
_SNAPSHOT: Final = Path(__file__).with_name("nodejs_snapshot.js")
_COMPILER: Final = _WAITING.with_name("nodejs_compiler.js")
_COMPILER_BYTES: Final = 400 * 2**20
"""What it takes while it loads."""
_SNAPSHOTS: Final = "snapshots"
"""What kind of entry of the cache they are."""
_SNAPSHOT_FILE: Final = "snapshot.blob"
"""Where Node.js writes it. Source: https://nodejs.org/docs/latest-v22.x/api/cli.html"""
_CODE: Final = b"".join(file.read_bytes() for file in sorted(RUNNER.parent.glob("nodejs_*.js")))
"""All that a snapshot may have of ours: read once, and not for each render."""
_LOCK: Final = ".package-lock.json"
"""What npm has installed, in the folder of modules."""
_NO_MODULES: Final = json.dumps({"places": {}, "imports": False})
_SURROUNDINGS: Final = (
    *("LANG", "LANGUAGE", "LC_", "PATH", "TZ", "SSL_CERT_", "NODE_EXTRA_CA_CERTS", "NODE_OPTIONS"),
    # Loading the SDK depends on it, and it is nearly always the same.
    "PULUMI_ERROR_OUTPUT_STRING",
)
"""How variables begin that Node.js, or what it loads, reads when it starts."""
_HEEDED_AT_START: Final = ("NODE_", "UV_", "ICU_", "OPENSSL_", "LD_", "GLIBC_", "MALLOC_")
"""How variables begin that change Node.js as it starts; a plugin passes hardly ever one of them."""
_MESSAGE_BYTES: Final = 64
_MOST: Final = 4
"""How many wait at most."""


@dataclass
class Waiting:
    """The waiting processes for one set of packages: a `Lender`, for the runs of programs."""

    kept: Kept
    node: str
    runner: Path
    """The SDK's."""
    machine_code: Path
    snapshots: Path
    packages: Path
    is_brought: bool
    """Whether the packages are not those of the image."""
    lost: bool = field(default=False, init=False)
    """See `Lender`."""
    _wanted: Keepable | None = field(default=None, init=False)

    def __call__(self, start: Start) -> Process:
        """See `Lender`."""
        if [*map(str, start.command[:2])] != [self.node, str(RUNNER)]:
            return launch.spawn(start)
        what = self._wanted = self._keepable(start)
        return lent_or_new(lambda start: _Lent(what, self, start), start)

    def want(self) -> None:
        """See `Lender`."""
        if self._wanted:
            self.kept.want(self._wanted)

    def compiler(self, env: Mapping[str, str]) -> Keepable:
        """What compiles sources for these packages, where the container has this environment."""
        return Keepable(
            kind="in turn",
            command=(self.node, str(_COMPILER), str(self.runner), str(self.machine_code)),
            env=_surroundings(env),
            packages=str(self.packages),
            is_brought=self.is_brought,
            bytes=_COMPILER_BYTES,
        )

    def _keepable(self, start: Start) -> Keepable:
        snapshot = self.snapshots / f"run-{self._loaded()}" / _SNAPSHOT_FILE
        waits = (str(_WAITING), str(self.runner), str(self.machine_code))
        return Keepable(
            kind="once",
            command=(self.node, *waits),
            env={**_surroundings(start.env), "RENDERER_MODULES": _NO_MODULES},
            packages=str(self.packages),
            is_brought=self.is_brought,
            most=_MOST,
            snapshot=str(snapshot),
            writes_snapshot=(self.node, "--build-snapshot", str(_SNAPSHOT), str(self.runner)),
            from_snapshot=(self.node, "--snapshot-blob", str(snapshot), *waits),
        )

    def _loaded(self) -> str:
        """What is in a snapshot, as far as the cache may have one with something else."""
        digest = hashlib.sha256(_CODE)
        for path in (self.node, self.packages):
            state = Path(path).stat()
            digest.update(f"{path} {state.st_size} {state.st_mtime_ns} {state.st_ino} ".encode())
        lock = self.packages / _LOCK
        digest.update(lock.read_bytes() if lock.exists() else b"")
        return digest.hexdigest()[:16]


class _Lent(LentProcess):
    """A program in a process that has waited for it."""

    def __init__(self, what: Keepable, waiting: Waiting, start: Start) -> None:
        """Raises OSError and NotLentError."""

        def lose() -> None:
            waiting.lost = True

        super().__init__(waiting.kept.lend(what), lose)
        (self._into,) = start.pass_fds
        try:
            self.stdin, self.said, self._told = self._started(start)
        except BaseException:
            super().kill()
            raise

    def _started(self, start: Start) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
        self.connection.send(b"%s %s" % (waiting.START, waiting.limits()))
        _, files, _, _ = socket.recv_fds(self.connection, _MESSAGE_BYTES, waiting.FILES)
        if len(files) != waiting.FILES:
            raise ConnectionError
        asked = {
            "cwd": str(start.cwd),
            "env": dict(start.env),
            "arguments": [str(word) for word in start.command[2:]],
        }
        give, hear, told, asks = files
        with ExitStack() as opened:
            stdin = opened.enter_context(os.fdopen(give, "wb", 0))
            said = opened.enter_context(os.fdopen(hear, "rb", 0))
            noted = opened.enter_context(os.fdopen(told, "rb"))
            with socket.socket(fileno=asks) as process:
                process.settimeout(SECONDS)
                process.sendall(json.dumps(asked).encode())
                process.shutdown(socket.SHUT_WR)
                if not process.recv(_MESSAGE_BYTES):
                    raise NotLentError
            opened.pop_all()
        return stdin, said, noted

    def wait(self, seconds: float | None = None) -> int:
        """See `Process`."""
        status = super().wait(seconds)
        self._tell()
        return status

    def kill(self) -> None:
        """See `Process`."""
        super().kill()
        self._tell()

    def _tell(self) -> None:
        """Give what the program told the renderer to where its starter looks for it."""
        if not self._told.closed:
            with self._told:
                # Whoever wrote to it has moved the place in it that both share.
                self._told.seek(0)
                os.write(self._into, self._told.read())


def of(execution: Execution, installed: Installed, modules: Path) -> Waiting | None:
    """The processes that a run may use, whether there are any or not; None where it may not."""
    options = nodejs_options.read(execution.project)
    machine_code = execution.cache.folder_of("v8")
    if (
        execution.kept is None
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
    snapshots = execution.cache.folder / _SNAPSHOTS
    return Waiting(execution.kept, node, runner, machine_code, snapshots, modules, is_brought)


def _surroundings(env: Mapping[str, str]) -> dict[str, str]:
    return {key: value for key, value in env.items() if key.startswith(_SURROUNDINGS)}


def stays(folder: Path, execution: Execution) -> bool:
    """Whether a folder is not this render's own."""
    return folder == nodejs_packages.IMAGE_MODULES or folder.is_relative_to(execution.cache.folder)


def _is_heeded_at_start(variable: str) -> bool:
    # Where certificates are stays the same.
    return variable.startswith(_HEEDED_AT_START) and variable != "NODE_EXTRA_CA_CERTS"
