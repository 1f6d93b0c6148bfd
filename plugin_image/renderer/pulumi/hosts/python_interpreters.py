"""Finds the interpreter for a program that is for certain versions of Python."""

import json
import platform
import sys
from pathlib import Path
from typing import Final

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version

from ...errors import DependencyError
from ..installer import Installer

_OLDEST: Final = Version("3.11")
"""The oldest that runs what the renderer adds to a program."""


def find(requires: str, file: str, installer: Installer) -> Path:
    """The renderer's own interpreter where a program takes it, or else the newest that it takes.

    `requires` is a specifier, as `file` has it; nothing is downloaded. Raises DependencyError where
    none is there.
    """
    try:
        wanted = SpecifierSet(requires)
    except InvalidSpecifier as error:
        raise DependencyError(f"requires-python of {file}: {error}", fix="correct it") from error
    own = platform.python_version()
    if wanted.contains(own, prereleases=True):
        return Path(sys.executable)
    there = {Version(own): Path(sys.executable), **_others(installer)}
    suitable = [version for version in there if wanted.contains(version, prereleases=True)]
    if suitable:
        return there[max(suitable)]
    versions = ", ".join(map(str, sorted(there)))
    raise DependencyError(
        f"the program needs Python {requires}, by requires-python of {file}, and there is "
        f"{versions}",
        fix="widen requires-python, or use an image that has such a Python",
    )


def _others(installer: Installer) -> dict[Version, Path]:
    """Other interpreters that uv finds, by their version."""
    listed = installer.scratch / "interpreters.json"
    command = ["python", "list", "--only-installed", "--no-python-downloads", "--output-format"]
    installer.run([installer.tool("uv"), *command, "json"], installer.scratch, result=listed)
    found = {
        Version(told["version"]): Path(told["path"])
        for told in json.loads(listed.read_text())
        if told["implementation"] == "cpython" and told["path"]
    }
    return {version: path for version, path in found.items() if version >= _OLDEST}
