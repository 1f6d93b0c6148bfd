"""Turns the locks of Poetry, Pipenv and PDM into requirements for uv, by their own exporters.

The exporters are no part of the image: they are installed once, at versions that are locked with
hashes here, from where the program's packages come from.
"""

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from packaging.utils import canonicalize_name

from ..installer import Installer
from . import pyproject, uv

_LOCKS: Final = Path(__file__).parent / "tools"
_REQUIREMENTS: Final = "requirements.txt"
_PINNED: Final = re.compile(
    r"^(?P<name>[\w.-]+)(?:\[[^]\n]*\])?(?:==|\s@\s)(?P<pin>[^\s;]+).*$", re.MULTILINE
)
"""A line with a package of one version, or at one address."""


class _Exporter(NamedTuple):
    tool: str
    """Its command, and the name of its lock in `tools/`."""
    arguments: Callable[[Path], Sequence[str]]
    """What it is called with, for the folder of a lock; it writes requirements to stdout."""
    env: Callable[[Path], Mapping[str, str]] = lambda _: {}
    """Its variables, for the environment that the requirements are for."""
    finished: Callable[[str, Path], str] = lambda text, _: text
    """Adds what it leaves out of the lock to the requirements."""


def _poetry(folder: Path) -> Sequence[str]:
    groups = ",".join(pyproject.groups_of_poetry(folder / pyproject.NAME))
    return ["export", "--format", _REQUIREMENTS, *(["--with", groups] if groups else [])]


def _with_itself(text: str, lock: Path) -> str:
    """The requirements that Poetry has written, and the project itself, which it leaves out."""
    return f"{text}\n.\n" if pyproject.installs_itself(lock) else text


def _pipenv(_: Path) -> Sequence[str]:
    return ["requirements", "--hash"]


def _pdm(folder: Path) -> Sequence[str]:
    itself = pyproject.installs_itself(folder / "pdm.lock")
    # It refuses to write hashes beside packages in folders, which have none.
    return ["export", "--no-hashes", *(["--self"] if itself else [])]


def _env_of_pdm(venv: Path) -> Mapping[str, str]:
    # It would make an environment of its own, and download a Python for that.
    return {"VIRTUAL_ENV": str(venv), "PDM_CHECK_UPDATE": "0"}


def _with_hashes(text: str, lock: Path) -> str:
    """The requirements that PDM has written, with the hashes that its lock has of them."""
    hashes = {
        (canonicalize_name(package["name"]), package.get("url", package["version"])): {
            f"--hash={file['hash']}" for file in package.get("files", ())
        }
        for package in pyproject.table(lock).get("package", ())
    }

    def hashed(pinned: re.Match[str]) -> str:
        found = hashes.get((canonicalize_name(pinned["name"]), pinned["pin"]), ())
        return " ".join([pinned[0], *sorted(found)])

    return _PINNED.sub(hashed, text)


_EXPORTERS: Final = {
    "poetry.lock": _Exporter("poetry", _poetry, finished=_with_itself),
    "Pipfile.lock": _Exporter("pipenv", _pipenv),
    "pdm.lock": _Exporter("pdm", _pdm, _env_of_pdm, _with_hashes),
}
EXPORTED: Final = frozenset(_EXPORTERS)
"""The names of the locks that are exported."""


def export(installer: Installer, lock: str, folder: Path, venv: Path) -> str:
    """Write what a lock in `folder` names to a requirements file there, and return its name.

    `venv` is the environment that they are for. Raises DependencyError and DeadlineError.
    """
    exporter = _EXPORTERS[lock]
    command = _installed(installer, exporter.tool) / "bin" / exporter.tool
    written = folder / _REQUIREMENTS
    arguments, env = exporter.arguments(folder), exporter.env(venv)
    installer.run([command, *arguments], folder, env=env, result=written)
    written.write_text(exporter.finished(written.read_text(), folder / lock))
    return _REQUIREMENTS


def _installed(installer: Installer, tool: str) -> Path:
    """The environment that has the exporter."""
    lock = _LOCKS / f"{tool}.txt"

    def fill(folder: Path) -> None:
        venv = folder / "venv"
        uv.make_environment(installer, venv, Path(sys.executable))
        options = ["--quiet", "--require-hashes", "--compile-bytecode", "--python"]
        install: list[str | Path] = [
            "pip",
            "install",
            *options,
            uv.python_of(venv),
            "--requirement",
            lock,
        ]
        uv.run(installer, install, folder)

    return installer.cache.once("exporter", _LOCKS, [lock], fill) / "venv"
