"""The Go toolchain, as far as it is needed here."""

import json
import os
import re
import selectors
import shutil
import signal
import subprocess
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.toolchain._errors import ToolchainError
from tests.toolchain.cache import StoppedError

FLAGS = ("-gcflags=all=-l -dwarf=false", "-gcflags=std=-dwarf=false", "-ldflags=-s -w")
"""Without inlining and what debuggers read, compiling takes a third less, for programs whose speed
nobody measures. The standard library is inlined within itself: it is compiled once for all parts,
which with its garbage collector and JSON take a sixth less processor time, and Helm, which is
measured, takes what its releases take. Without symbol tables, linking is faster, and a program a
third smaller."""

_OUTPUT_LINES = 20
_LOST = re.compile(r"dial tcp|proxyconnect|no such host|TLS handshake|i/o timeout")
_NO_MODULES = (
    "Go modules come from where `go env GOPROXY` says, and that cannot be reached. lint, test-unit"
    " and what was built before work without it."
)
_SILENCE_SECONDS = 0.2
_STOP_SECONDS = 5


@dataclass(frozen=True)
class Go:
    """A Go command that fits, and what it builds for."""

    command: str
    platform: str
    """Version, system and architecture: they belong to what a build is made from."""

    @classmethod
    def find(cls, folder: Path) -> "Go":
        """Return the Go on PATH.

        `folder` holds the go.mod that says which version is needed. Raises
        ToolchainError when Go is missing, or is too old and may not fetch a newer one.
        """
        command = shutil.which("go")
        if command is None:
            raise ToolchainError(
                "Go is missing: there is no `go` on PATH, and what cannot be downloaded of the"
                f" real parts is built with it ({_needed(folder)} or newer)."
                " Install it from https://go.dev/dl/ or with your package manager."
            )
        names = ("GOVERSION", "GOOS", "GOARCH")
        try:
            settings = json.loads(_output([command, "env", "-json", *names], folder))
        except subprocess.CalledProcessError as error:
            raise ToolchainError(
                f"{command} does not fit: {error.output.strip()}."
                f" Install {_needed(folder)} or newer from https://go.dev/dl/, or let Go fetch"
                " it: `go env -w GOTOOLCHAIN=auto`."
            ) from error
        return cls(command, "-".join(settings[name] for name in names))

    def packages(
        self, folder: Path, programs: Sequence[str], *, stopped: Callable[[], bool]
    ) -> Sequence[Mapping[str, int]]:
        """Return for each program what is compiled for it and not for one before: bytes by package.

        Downloads the modules that are missing. Raises ToolchainError, StoppedError.
        """
        fields = "-json=ImportPath,Dir,GoFiles,DepOnly"
        lines: list[str] = []
        command = [self.command, "list", "-deps", fields, *programs]
        _run(command, folder, lines.append, stopped)
        found: list[dict[str, int]] = [{}]
        for package in _documents("\n".join(lines)):
            files = [Path(package["Dir"], name) for name in package.get("GoFiles", [])]
            found[-1][package["ImportPath"]] = sum(file.stat().st_size for file in files)
            if not package.get("DepOnly"):
                found.append({})
        return found[:-1]

    def download(
        self, folder: Path, programs: Sequence[str], *, stopped: Callable[[], bool]
    ) -> None:
        """Download what programs are built from. Raises ToolchainError, StoppedError."""
        # Files that lie in the module only when it is built are missing: -e.
        command = [self.command, "list", "-e", "-deps", "-f=", *programs]
        _run(command, folder, lambda _: None, stopped)

    def build(
        self,
        folder: Path,
        programs: Sequence[str],
        output: Path,
        *,
        static: bool,
        compiled: Callable[[str], None],
        stopped: Callable[[], bool],
    ) -> None:
        """Build programs: one as the file `output`, or several into the folder of that name.

        Each appears there at once and whole when it is linked, the first ones first. `compiled`
        hears of each package; of an empty one, several times a second, while there is none.
        Raises ToolchainError with the end of Go's own output, when what could be built is
        there, and StoppedError when stopped.
        """
        command = [self.command, "build", "-v", *FLAGS, f"-o={output}", *programs]
        # Programs are renamed to their places, but only within one file system.
        settings = {"GOTMPDIR": str(output.parent)}
        static_settings = {"CGO_ENABLED": "0"} if static else {}

        def heard(line: str) -> None:
            if " " not in line:
                compiled(line)

        _run(command, folder, heard, stopped, {**settings, **static_settings})

    def module_folder(self, folder: Path, module: str, *, stopped: Callable[[], bool]) -> Path:
        """Return the folder of a module that `folder`'s go.mod names, downloaded if need be.

        Raises ToolchainError, StoppedError.
        """
        _run([self.command, "mod", "download", module], folder, lambda _: None, stopped)
        return Path(_output([self.command, "list", "-m", "-f={{.Dir}}", module], folder).strip())


def _run(
    command: Sequence[str],
    folder: Path,
    heard: Callable[[str], None],
    stopped: Callable[[], bool],
    settings: Mapping[str, str] | None = None,
) -> None:
    """Run the Go command; hand on each line of what it says, and empty ones while it is silent."""
    process = subprocess.Popen(
        command,
        cwd=folder,
        # A go.work further up would replace the locked versions.
        env={**os.environ, "GOWORK": "off", **(settings or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        # Compilers and linkers have to end with it.
        start_new_session=True,
    )
    said: deque[str] = deque(maxlen=_OUTPUT_LINES)
    try:
        for line in _lines(process):
            if stopped():
                raise StoppedError
            if not line.startswith("go: downloading "):
                heard(line)
            if " " in line:
                said.append(line)
        if process.wait():
            what, why = " ".join(command[:2]), said[-1].strip() if said else "it says nothing"
            advice = f" {_NO_MODULES}" if _LOST.search(why) else ""
            raise ToolchainError("\n".join([f"`{what}` failed: {why}.{advice}", *said]))
    finally:
        _stop(process)


def _lines(process: subprocess.Popen[bytes]) -> Iterator[str]:
    """Yield what a process writes, and an empty line whenever it has been silent for a while."""
    assert process.stdout
    rest = b""
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            if not selector.select(_SILENCE_SECONDS):
                yield ""
                continue
            chunk = os.read(process.stdout.fileno(), 65536)
            if not chunk:
                break
            *lines, rest = (rest + chunk).split(b"\n")
            yield from (line.decode(errors="replace") for line in lines)
    yield rest.decode(errors="replace")


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End a process that still runs, and what it has started."""
    for number in (signal.SIGINT, signal.SIGKILL):
        if process.poll() is None:
            os.killpg(process.pid, number)
            with suppress(subprocess.TimeoutExpired):
                process.wait(_STOP_SECONDS)
    assert process.stdout
    process.stdout.close()


def _documents(text: str) -> Iterator[dict[str, Any]]:
    decoder, at = json.JSONDecoder(), 0
    while (start := text.find("{", at)) >= 0:
        document, at = decoder.raw_decode(text, start)
        yield document


def _output(command: Sequence[str], folder: Path) -> str:
    return subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "GOWORK": "off"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
    ).stdout


def _needed(folder: Path) -> str:
    lines = (folder / "go.mod").read_text().splitlines()
    return next(line for line in lines if line.startswith("go "))
