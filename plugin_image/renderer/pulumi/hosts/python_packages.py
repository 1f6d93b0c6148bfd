"""Installs what a Python program depends on, by uv, into a virtual environment in the cache."""

import re
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

from plugin_image.renderer.errors import DependencyError
from plugin_image.renderer.pulumi import dependencies
from plugin_image.renderer.pulumi.dependencies import Cache

_OTHER_LOCKS = ("poetry.lock", "Pipfile.lock")
_LOCAL = re.compile(
    r"""
      ^\s*(?:-(?!-hash)|[./])|\bfile:|@\s*[./]        # requirements.txt
    | \b(?:editable|directory|path|workspace)\s*=     # uv.lock, pyproject.toml
    """,
    re.MULTILINE | re.VERBOSE,
)
"""Further files of requirements, options, and packages in folders."""
_OUTSIDE = re.compile(r"""(?:^|[\s@=:/"'])\.\./""", re.MULTILINE)


def install(root: Path, cache: Cache) -> Path:
    """The interpreter that has what the program asks for, or else the image's.

    It asks by `requirements.txt`, else by `uv.lock`, else by the dependencies in
    `pyproject.toml`.

    Raises DependencyError, also for the lock files of other tools, and DeadlineError.
    """
    requirements, lock, manifest = (
        root / name for name in ("requirements.txt", "uv.lock", "pyproject.toml")
    )
    if requirements.is_file():
        return _installed(cache, root, [requirements])
    if lock.is_file() and manifest.is_file():
        return _installed(cache, root, [lock, manifest])
    dependencies.refuse_other_locks(root, _OTHER_LOCKS, "requirements.txt or uv.lock")
    if manifest.is_file() and _asks_for_packages(manifest):
        return _installed(cache, root, [manifest])
    return Path(sys.executable)


def _asks_for_packages(manifest: Path) -> bool:
    try:
        project = tomllib.loads(manifest.read_text()).get("project", {})
    except ValueError as error:
        raise DependencyError(
            f"pyproject.toml is not valid TOML: {error}", fix="correct it"
        ) from error
    return isinstance(project, dict) and bool(project.get("dependencies"))


def _installed(cache: Cache, root: Path, files: Sequence[Path]) -> Path:
    """The interpreter of an environment with what the first of these files names."""

    def fill(folder: Path) -> None:
        uv, venv = dependencies.tool("uv"), folder / "venv"
        cache.run([uv, "venv", "--quiet", "--relocatable", "--python", sys.executable, venv], root)
        options: list[str | Path] = ["--quiet", "--compile-bytecode", "--python", _python(venv)]
        if files[0].name == "uv.lock":
            # What is editable is read from this folder, which is gone after the render.
            sync = [uv, "sync", "--frozen", "--no-editable", *options]
            cache.run(sync, root, {"UV_PROJECT_ENVIRONMENT": str(venv)})
        else:
            cache.run([uv, "pip", "install", *options, "--requirement", files[0]], root)

    return _python(cache.once("python", root, _inputs(root, files), fill) / "venv")


def _inputs(root: Path, files: Sequence[Path]) -> Sequence[Path]:
    """What decides about what is installed: all of the project where a part of it is named.

    Raises DependencyError where files outside of the project are.
    """
    text = "\n".join(file.read_text() for file in files)
    if _OUTSIDE.search(text):
        raise DependencyError(
            f"{files[0].name} names a file outside of the project",
            fix="move it into the project, or publish the package",
        )
    return dependencies.project_files(root) if _LOCAL.search(text) else files


def _python(venv: Path) -> Path:
    return venv / "bin" / "python"
