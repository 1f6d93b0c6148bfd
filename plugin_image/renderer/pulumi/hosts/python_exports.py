"""Turns the locks of Poetry and Pipenv into requirements that uv installs, by their own exporters.

The exporters are no part of the image: they are installed once, at versions that are locked with
hashes here, from where the program's packages come from.
"""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from ..installer import Installer
from . import python_inputs, uv

_LOCKS: Final = Path(__file__).parent / "tools"
_REQUIREMENTS: Final = "requirements.txt"


class _Exporter(NamedTuple):
    tool: str
    """Its command, and the name of its lock in `tools/`."""
    arguments: Callable[[Path], Sequence[str]]
    """What it is called with, for the folder of a lock; it writes requirements to stdout."""


def _poetry(folder: Path) -> Sequence[str]:
    groups = ",".join(_groups(folder / "pyproject.toml"))
    return ["export", "--format", _REQUIREMENTS, *(["--with", groups] if groups else [])]


def _pipenv(_: Path) -> Sequence[str]:
    return ["requirements", "--hash"]


_EXPORTERS: Final = {
    "poetry.lock": _Exporter("poetry", _poetry),
    "Pipfile.lock": _Exporter("pipenv", _pipenv),
}
EXPORTED: Final = frozenset(_EXPORTERS)
"""The names of the locks that are exported."""


def export(installer: Installer, lock: str, folder: Path) -> str:
    """Write what a lock in `folder` names to a requirements file there, and return its name.

    Raises DependencyError and DeadlineError.
    """
    exporter = _EXPORTERS[lock]
    command = _installed(installer, exporter.tool) / "bin" / exporter.tool
    installer.run([command, *exporter.arguments(folder)], folder, result=folder / _REQUIREMENTS)
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


def _groups(manifest: Path) -> list[str]:
    """The groups that `poetry install` installs beside the packages themselves."""
    groups = python_inputs.table(manifest, "tool", "poetry", "group")
    wanted = {name for name, group in groups.items() if not _is_optional(group)}
    wanted.update(python_inputs.table(manifest, "dependency-groups"))
    if python_inputs.table(manifest, "tool", "poetry", "dev-dependencies"):
        wanted.add("dev")
    return sorted(wanted)


def _is_optional(group: Any) -> bool:
    return isinstance(group, dict) and bool(group.get("optional"))
