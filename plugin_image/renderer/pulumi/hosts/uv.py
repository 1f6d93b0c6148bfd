"""Runs uv, and lets it make virtual environments; what it downloads is kept in the cache."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from ..installer import Installer


def run(
    installer: Installer,
    arguments: Sequence[str | Path],
    folder: Path,
    *,
    env: Mapping[str, str] | None = None,
) -> None:
    """Run uv in a folder, where it looks for settings. Raises DependencyError and DeadlineError."""
    kept = {"UV_CACHE_DIR": str(installer.cache.downloads("uv"))}
    installer.run([installer.tool("uv"), *arguments], folder, env={**kept, **(env or {})})


def make_environment(installer: Installer, venv: Path, python: Path) -> None:
    """Make an environment of an interpreter, which may be moved. Raises as `run` does."""
    make: list[str | Path] = ["venv", "--quiet", "--relocatable", "--python", python, venv]
    run(installer, make, venv.parent)


def python_of(venv: Path) -> Path:
    """The interpreter of an environment."""
    return venv / "bin" / "python"
