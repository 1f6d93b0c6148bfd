"""Installs what a Python program depends on, by uv, into a virtual environment in the cache."""

import re
import sys
from collections.abc import Sequence
from pathlib import Path

from plugin_image.renderer.errors import DependencyError
from plugin_image.renderer.pulumi import dependencies
from plugin_image.renderer.pulumi.dependencies import Cache

_OTHER_LOCKS = ("uv.lock", "poetry.lock", "Pipfile.lock", "pdm.lock", "pylock.toml")
_SETTINGS = ("pyproject.toml", "uv.toml")
"""What tells uv of indexes and constraints."""
_SETUPTOOLS = "setuptools==80.9.0"
"""One of the last that have pkg_resources."""
_LOCAL = re.compile(
    r"""
      ^\s*(?:-(?!-hash)|[./]) | \bfile: | @\s*[./]                      # requirements.txt
    | \b(?:editable|directory|path)\s=\s" | \bvirtual\s=\s"(?!\."\s)    # uv.lock
    """,
    re.MULTILINE | re.VERBOSE,
)
"""Further files of requirements, options, and packages in folders."""
_OUTSIDE = re.compile(r"""(?:^|[\s@=:/"'])\.\./""", re.MULTILINE)


def install(root: Path, cache: Cache) -> Path:
    """The interpreter that has what `requirements.txt` asks for, else `uv.lock`, else the image's.

    Raises DependencyError, also for the lock files of other tools, and DeadlineError.
    """
    requirements, lock = root / "requirements.txt", root / "uv.lock"
    if requirements.is_file():
        return _installed(cache, requirements)
    if lock.is_file() and (root / "pyproject.toml").is_file():
        return _installed(cache, lock)
    dependencies.refuse_other_locks(
        root, _OTHER_LOCKS, "requirements.txt, or a uv.lock beside its pyproject.toml"
    )
    return Path(sys.executable)


def _installed(cache: Cache, named: Path) -> Path:
    """The interpreter of an environment with what the file names.

    It is made in a folder with copies of the files that decide about it, and nothing else:
    uv would look for settings and workspaces in the folders above, too, and what is made
    must not depend on the program's folder, which is gone after the render.
    """
    root, files = named.parent, _inputs(named)

    def fill(folder: Path) -> None:
        project, venv = dependencies.copied(files, root, folder / "project"), folder / "venv"
        uv = dependencies.tool("uv")
        cache.run(
            [uv, "venv", "--quiet", "--relocatable", "--python", sys.executable, venv], folder
        )
        options: list[str | Path] = ["--quiet", "--no-editable", "--compile-bytecode"]
        options += ["--python", _python(venv)]
        if named.name == "uv.lock":
            environment = {"UV_PROJECT_ENVIRONMENT": str(venv)}
            cache.run([uv, "sync", "--frozen", *options], project, environment)
        else:
            cache.run([uv, "pip", "install", *options, "--requirement", named.name], project)
        if _needs_setuptools(venv):
            cache.run([uv, "pip", "install", *options, _SETUPTOOLS], project)

    return _python(cache.once("python", root, files, fill) / "venv")


def _needs_setuptools(venv: Path) -> bool:
    """Whether an SDK takes pkg_resources from it without saying so, as those before 2024 do.

    The environments that Pulumi itself makes have it.
    """
    packages = next(venv.glob("lib/python*/site-packages"))
    needed = any(
        "import pkg_resources" in sdk.read_text() for sdk in packages.glob("pulumi_*/_utilities.py")
    )
    return needed and not (packages / "pkg_resources").is_dir()


def _inputs(named: Path) -> Sequence[Path]:
    """What decides about what is installed: all of the project where a part of it is named.

    Raises DependencyError where files outside of the project are.
    """
    root, text = named.parent, named.read_text()
    if _OUTSIDE.search(text):
        raise DependencyError(
            f"{named.name} names a file outside of the project",
            fix="move it into the project, or publish the package",
        )
    if _LOCAL.search(text):
        return dependencies.project_files(root)
    return [named, *(root / name for name in _SETTINGS if (root / name).is_file())]


def _python(venv: Path) -> Path:
    return venv / "bin" / "python"
