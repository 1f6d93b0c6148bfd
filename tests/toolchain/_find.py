"""Looks for parts that are there: on this machine, or in the cache."""

import platform
from collections.abc import Mapping
from pathlib import Path

from tests.toolchain import _build, cache
from tests.toolchain._errors import ToolchainError
from tests.toolchain._go import Go
from tests.toolchain._releases import Release
from tests.toolchain._tools import MODULES, Tool


def find(part: Tool, releases: Mapping[str, Release]) -> Path | None:
    """Return the part's path when it is there: installed, downloaded or made before."""
    return part.present() or _downloaded(part, releases.get(part.name)) or _made(part)


def release_entry(release: Release) -> str:
    """Name the cache entry of a release."""
    return cache.key(release.name, [release.version, *(file.digest for file in release.files)])


def debian_entry(part: Tool) -> str:
    """Name the cache entry of what is unpacked from Debian's packages."""
    return cache.key(part.name, [platform.machine(), *part.packages])


def in_entry(part: Tool, folder: Path) -> Path:
    """Return the path of a part that was built or unpacked into a folder."""
    return folder / part.name if part.package or part.packages else folder


def _downloaded(part: Tool, release: Release | None) -> Path | None:
    folder = cache.find(release_entry(release)) if release else None
    return folder / part.name if folder else None


def _made(part: Tool) -> Path | None:
    if part.packages:
        entry = debian_entry(part)
    else:
        try:
            entry = _build.entry(part, Go.find(MODULES / part.locked_in))
        except ToolchainError:
            # What was built by it is not known without it.
            return None
    folder = cache.find(entry)
    return in_entry(part, folder) if folder else None
