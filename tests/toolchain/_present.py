"""Looks for real parts that this machine has already, in a version that fits."""

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

Present = Callable[[], Path | None]
"""Finds a program, or returns None."""


def nothing() -> None:
    """Nothing that a machine may have is known to fit."""


def in_kubebuilder_assets(name: str) -> Present:
    """Look in the folder that envtest uses, too."""

    def find() -> Path | None:
        assets = os.environ.get("KUBEBUILDER_ASSETS")
        path = Path(assets, name) if assets else None
        return path if path and os.access(path, os.X_OK) else None

    return find


def on_path(name: str) -> Present:
    """Look on PATH; every version fits."""
    return lambda: _which(name)


def with_version(
    name: str, *arguments: str, at_least: tuple[int, int], below: tuple[int, int]
) -> Present:
    """Look on PATH for a program that prints a version within bounds."""

    def find() -> Path | None:
        path = _which(name)
        return path if path and at_least <= _version(path, *arguments) < below else None

    return find


def beside(other: Present, name: str) -> Present:
    """Look in the folder of another program that is present and fits."""

    def find() -> Path | None:
        path = other()
        neighbour = path.resolve().with_name(name) if path else None
        return neighbour if neighbour and neighbour.is_file() else None

    return find


def pulumi_plugin(other: Present, name: str, version: str) -> Present:
    """Look where Pulumi keeps the plugins it has installed, when Pulumi itself fits."""

    def find() -> Path | None:
        home = Path(os.environ.get("PULUMI_HOME") or "~/.pulumi").expanduser()
        kind = name.removeprefix("pulumi-")
        path = home / "plugins" / f"{kind}-v{version}" / name
        return path if other() and path.is_file() else None

    return find


def _which(name: str) -> Path | None:
    path = shutil.which(name)
    return Path(path) if path else None


@cache
def _version(path: Path, *arguments: str) -> tuple[int, int]:
    """Return major and minor of the first version in the program's output."""
    done = subprocess.run(
        [path, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=30
    )
    match = re.search(r"v?(\d+)\.(\d+)\.\d+", done.stdout)
    return (int(match[1]), int(match[2])) if match else (0, 0)
