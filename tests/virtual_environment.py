"""`python -m tests.virtual_environment FOLDER`: a new virtual environment, locked packages in it.

pip installs uv, and uv all the rest: that takes seconds instead of a minute. uv does not read
pip's settings, so it is told them; and what it cannot install, pip tries to. Needs nothing but
Python. The folder is finished when it has a file `complete` in it.
"""

import ast
import os
import re
import subprocess
import sys
import sysconfig
import textwrap
from collections.abc import Sequence
from pathlib import Path

LOCK = Path(__file__).parents[1] / "requirements-dev.txt"
COMPLETE = "complete"
"""The file that is made last. The Makefile knows it, too."""

_UV_SETTINGS = {
    "cert": ("SSL_CERT_FILE", " "),
    "client-cert": ("SSL_CLIENT_CERT", " "),
    "extra-index-url": ("UV_INDEX", " "),
    "find-links": ("UV_FIND_LINKS", ","),
    "index-url": ("UV_DEFAULT_INDEX", " "),
    "no-index": ("UV_OFFLINE", " "),
    "proxy": ("ALL_PROXY", " "),
    "trusted-host": ("UV_INSECURE_HOST", " "),
}
"""By pip's name of a setting: uv's variable, and what stands between several values."""

_SECTIONS = ("global", "install", ":env:")
"""Where pip has settings from; later ones win."""

_IMPORTED_BY_PROGRAMS = ("pulumi", "pulumi_kubernetes")
_LONGEST_REASON = 300


class InstallError(Exception):
    """The environment cannot be made; what was tried has said why."""


def main(arguments: Sequence[str]) -> int:
    """Make the folder that is named, or say what cannot be done without it."""
    try:
        make(Path(*arguments))
    except KeyboardInterrupt:
        sys.stderr.write("\ninterrupted; the next `make` starts over\n")
        return 130
    except InstallError as error:
        sys.stderr.write(
            f"error: {error}; its own words are above. Without it only `make image`, `make help`"
            " and `make clean` work.\n"
        )
        return 1
    return 0


def make(folder: Path) -> None:
    """Make the environment; what was in the folder is gone. Raises InstallError."""
    if subprocess.run([sys.executable, "-m", "venv", "--clear", folder]).returncode:
        raise InstallError(f"{sys.executable} cannot make the virtual environment {folder}")
    install(folder / "bin" / "python", LOCK.read_text())
    _compile(folder)
    (folder / COMPLETE).touch()


def install(python: Path, lock: str) -> None:
    """Install what a lock names for a Python that has nothing but pip. Raises InstallError."""
    _pip_install(python, entry("uv", lock))
    if reason := _uv_install(python, lock):
        sys.stderr.write(f"uv cannot install the packages, so pip does: {reason}\n")
        _pip_install(python, lock)


def entry(package: str, lock: str) -> str:
    """Return the lines of one package of a lock: its version and its hashes."""
    match = re.search(rf"^{package}==.*\n(?: .*\n)*", lock, re.MULTILINE)
    assert match, f"{package} is not locked"
    return match[0]


def uv_settings(listing: str) -> dict[str, str]:
    """Return the variables that tell uv what `pip config list` has printed."""
    values = dict(line.split("=", 1) for line in listing.splitlines())
    settings = {}
    for section in _SECTIONS:
        for name, (variable, separator) in _UV_SETTINGS.items():
            if written := values.get(f"{section}.{name}"):
                settings[variable] = separator.join(ast.literal_eval(written).split())
    return settings


def _pip_install(python: Path, requirements: str) -> None:
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    command += ["--no-compile", "--require-hashes", "--requirement=/dev/stdin"]
    if subprocess.run(command, input=requirements, text=True).returncode:
        raise InstallError(
            "pip cannot install the locked packages from the package index that"
            " `pip config list` names (PyPI, where it names none)"
        )


def _uv_install(python: Path, requirements: str) -> str | None:
    """Let uv install, as pip would. Return why it cannot, in one line."""
    config = subprocess.run([python, "-m", "pip", "config", "list"], stdout=subprocess.PIPE)
    command = [str(python.with_name("uv")), "pip", "install", "--quiet", f"--python={python}"]
    # pip's way to look at several indexes; what comes from any of them has to have the hash.
    command += ["--index-strategy=unsafe-best-match", "--require-hashes", "--requirement=-"]
    done = subprocess.run(
        command,
        env={**uv_settings(config.stdout.decode()), **os.environ},
        input=requirements,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode == 0:
        return None
    return textwrap.shorten(done.stdout, _LONGEST_REASON) or f"status {done.returncode}"


def _compile(folder: Path) -> None:
    """Compile what programs import: they write no bytecode, so they would do so each time.

    The rest, Python compiles when it is first imported; most of it never is.
    """
    packages = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder)}))
    imported = [packages / name for name in _IMPORTED_BY_PROGRAMS]
    subprocess.run([sys.executable, "-m", "compileall", "-q", "-j0", *imported])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
