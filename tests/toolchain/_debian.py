"""Programs of Debian packages, unpacked and not installed."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.toolchain._errors import ToolchainError

_RUN = """\
#!/bin/sh
folder=$(dirname "$(readlink -f "$0")")
LD_LIBRARY_PATH="{libraries}" exec "$folder/root/usr/sbin/{program}" "$@"
"""
_LIBRARIES = ("usr/lib/*-linux-gnu*", "usr/lib", "lib/*-linux-gnu*")


def unpack(program: str, packages: Sequence[str], folder: Path) -> None:
    """Fill `folder` with the content of packages, and a `program` in it that runs.

    Raises ToolchainError where packages cannot be had, or do not fit what is installed.
    """
    for command in ("apt-get", "dpkg"):
        if shutil.which(command) is None:
            raise ToolchainError(
                f"{program} is missing, and without {command} it cannot be fetched: install it"
                " with your package manager, and put it on PATH"
            )
    downloads = folder / ".packages"
    downloads.mkdir()
    _run(program, ["apt-get", "download", "-q", *packages], downloads)
    root = folder / "root"
    for package in sorted(downloads.glob("*.deb")):
        _run(program, ["dpkg", "--extract", str(package), str(root)], folder)
    shutil.rmtree(downloads)
    found = [path for pattern in _LIBRARIES for path in sorted(root.glob(pattern))]
    libraries = ":".join(f"$folder/{path.relative_to(folder)}" for path in found)
    start = folder / program
    start.write_text(_RUN.format(program=program, libraries=libraries))
    start.chmod(0o755)
    _run(program, [str(start), "-v"], folder)


def _run(program: str, command: Sequence[str], folder: Path) -> None:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode:
        raise ToolchainError(
            f"{program} cannot be had: `{' '.join(command)}` said: {done.stdout.strip()}."
            f" Run `apt-get update`, or install {program} and put it on PATH."
        )
