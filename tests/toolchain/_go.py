"""The Go toolchain, as far as it is needed here."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

LINKER_FLAGS = ("-s", "-w")
"""Leave symbol tables out: linking is faster, and a program a third smaller."""

_OUTPUT_LINES = 20


class ToolchainError(Exception):
    """A real part cannot be had; says which, why and what to do."""


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
                "Go is missing: there is no `go` on PATH, and the real parts of the end-to-end"
                f" tests are built with it ({_needed(folder)} or newer)."
                " Install it from https://go.dev/dl/ or with your package manager."
            )
        names = ("GOVERSION", "GOOS", "GOARCH")
        try:
            settings = json.loads(_run([command, "env", "-json", *names], folder))
        except subprocess.CalledProcessError as error:
            raise ToolchainError(
                f"{command} does not fit: {error.output.strip()}."
                f" Install {_needed(folder)} or newer from https://go.dev/dl/, or let Go fetch"
                " it: `go env -w GOTOOLCHAIN=auto`."
            ) from error
        return cls(command, "-".join(settings[name] for name in names))

    def build(
        self,
        folder: Path,
        package: str,
        output: Path,
        *,
        variables: Mapping[str, str],
        static: bool = False,
    ) -> None:
        """Build one program; `variables` are string variables of its main package.

        Compiler flags are the default ones, so that a build cache serves every checkout.
        Raises ToolchainError with the end of Go's own output.
        """
        # Without symbol tables linking is faster, and a binary a third smaller.
        linker = ["-s", "-w", *(f"-X main.{name}={value}" for name, value in variables.items())]
        try:
            _run(
                [self.command, "build", f"-ldflags={' '.join(linker)}", f"-o={output}", package],
                folder,
                {"CGO_ENABLED": "0"} if static else {},
            )
        except subprocess.CalledProcessError as error:
            raise ToolchainError(
                f"`go build {package}` failed; the end of its output:\n{_end(error.output)}"
            ) from error

    def module_folder(self, folder: Path, module: str) -> Path:
        """Return the folder of a module that `folder`'s go.mod names, downloaded if need be."""
        try:
            answer = json.loads(_run([self.command, "mod", "download", "-json", module], folder))
        except subprocess.CalledProcessError as error:
            raise ToolchainError(f"module {module} cannot be had: {_end(error.output)}") from error
        return Path(answer["Dir"])


def _run(command: Iterable[str], folder: Path, settings: Mapping[str, str] | None = None) -> str:
    # A go.work further up would replace the locked versions.
    environment = {**os.environ, "GOWORK": "off", **(settings or {})}
    done = subprocess.run(
        [*command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
    )
    return done.stdout


def _needed(folder: Path) -> str:
    lines = (folder / "go.mod").read_text().splitlines()
    return next(line for line in lines if line.startswith("go "))


def _end(output: str) -> str:
    return "\n".join(output.splitlines()[-_OUTPUT_LINES:])
