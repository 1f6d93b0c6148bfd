"""Installs what a Python program depends on, by uv, into a virtual environment in the cache."""

import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from ... import files
from ...errors import DependencyError
from .. import dependencies
from ..installer import Installer

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
"""Further requirements files, options, and packages in folders."""
_OUTSIDE = re.compile(
    r"""
      (?:^|[\s@=:/"']|^\s*-\w) \.\. (?![^/\s"'\#])   # upwards, in any part of a path
    | \bfile:/                                         # an absolute URL
    | (?:^|[\s@="']|^\s*-\w) (?:/|~/)                  # an absolute path; with its option: -r/x
    """,
    re.MULTILINE | re.VERBOSE,
)
_COMMENT = re.compile(r"(?:^|\s)\#.*$", re.MULTILINE)
_ADDRESS = re.compile(r"""\b(?![\w+]*file:)[a-z][\w+]*://[^\s"']+""")
_FURTHER = re.compile(r"^\s*(?:-[rc]|--requirements?|--constraints?)[\s=]*(\S+)", re.MULTILINE)
"""Requirements files that one names."""
_OF_UV = (
    ("project", "dependencies"),
    ("project", "optional-dependencies"),
    ("dependency-groups",),
    ("build-system", "requires"),
    ("tool", "uv"),
)
"""What uv reads of pyproject.toml to find packages."""


def install(root: Path, installer: Installer) -> Path:
    """The interpreter that has what `requirements.txt` asks for, else `uv.lock`, else the image's.

    Raises DependencyError, also for the lock files of other tools, and DeadlineError.
    """
    requirements, lock = root / "requirements.txt", root / "uv.lock"
    if files.exists(requirements):
        return _installed(installer, requirements)
    if files.exists(lock) and files.exists(root / "pyproject.toml"):
        return _installed(installer, lock)
    dependencies.refuse_other_locks(
        root, _OTHER_LOCKS, "requirements.txt, or a uv.lock beside its pyproject.toml"
    )
    return Path(sys.executable)


def _installed(installer: Installer, named: Path) -> Path:
    """The interpreter of an environment with what the file names.

    It is made in a folder with copies of the files that decide about it, and nothing else:
    uv would look for settings and workspaces in the folders above, too, and what is made
    must not depend on the program's folder, which is gone after the render.
    """
    root, inputs = named.parent, _inputs(named)

    def fill(folder: Path) -> None:
        project, venv = dependencies.copied(inputs, root, folder / "project"), folder / "venv"
        # As it was read here: editors on Windows write UTF-16.
        (project / named.name).write_text(files.text(named), encoding="utf-8")
        env = {"UV_CACHE_DIR": str(installer.cache.downloads("uv"))}
        uv = installer.tool("uv")
        make: list[str | Path] = [
            uv,
            "venv",
            "--quiet",
            "--relocatable",
            "--python",
            sys.executable,
            venv,
        ]
        installer.run(make, folder, env=env)
        options: list[str | Path] = ["--quiet", "--no-editable", "--compile-bytecode"]
        options += ["--python", _python(venv)]
        if named.name == "uv.lock":
            sync = [uv, "sync", "--frozen", *options]
            installer.run(sync, project, env={**env, "UV_PROJECT_ENVIRONMENT": str(venv)})
        else:
            add = [uv, "pip", "install", *options, "--requirement", named.name]
            installer.run(add, project, env=env)
        if _needs_setuptools(venv):
            installer.run([uv, "pip", "install", *options, _SETUPTOOLS], project, env=env)

    return _python(installer.cache.once("python", root, inputs, fill) / "venv")


def _needs_setuptools(venv: Path) -> bool:
    """Whether an SDK imports its pkg_resources undeclared, as those from before 2024 do.

    The environments that Pulumi itself makes have it.
    """
    packages = next(venv.glob("lib/python*/site-packages"))
    needed = any(
        "import pkg_resources" in sdk.read_text() for sdk in packages.glob("pulumi_*/_utilities.py")
    )
    return needed and not (packages / "pkg_resources").is_dir()


def _inputs(named: Path) -> Sequence[Path]:
    """What decides what is installed: all of the project where a part of it is named.

    Raises DependencyError where files outside of the project are named.
    """
    root, text = named.parent, files.text(named)
    settings = [root / name for name in _SETTINGS if files.exists(root / name)]
    _require_inside(named, text, {named})
    for path in settings:
        for word in _words_for_uv(path):
            _require_no_outside(path, word)
    return dependencies.project_files(root) if _LOCAL.search(text) else [named, *settings]


def _require_inside(named: Path, text: str, seen: set[Path]) -> None:
    """Raise DependencyError for a path that leads out, in a file or in those that it names."""
    text = _COMMENT.sub("", text)
    _require_no_outside(named, text)
    for word in _FURTHER.findall(text):
        further = named.parent / word
        if further not in seen and files.exists(further):
            _require_inside(further, files.text(further), seen | {further})


def _require_no_outside(path: Path, text: str) -> None:
    if _OUTSIDE.search(unquote(_ADDRESS.sub("", text))):
        raise DependencyError(
            f"{path.name} names a file outside of the project",
            fix="move it into the project, or publish the package",
        )


def _words_for_uv(path: Path) -> Iterator[str]:
    """The strings in a settings file by which uv finds packages; uv reports what is not TOML."""
    try:
        found = tomllib.loads(files.text(path))
    except tomllib.TOMLDecodeError:
        return
    for keys in _OF_UV if path.name == "pyproject.toml" else ((),):
        section: Any = found
        for key in keys:
            section = section.get(key) if isinstance(section, dict) else None
        yield from _texts(section)


def _texts(node: Any) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    elif isinstance(node, (dict, list)):
        for part in node.values() if isinstance(node, dict) else node:
            yield from _texts(part)


def _python(venv: Path) -> Path:
    return venv / "bin" / "python"
