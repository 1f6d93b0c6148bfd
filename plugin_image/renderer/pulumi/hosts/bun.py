"""Bun, which installs what its lock says. It is no part of the image: it takes 100 MB.

npm installs it once, at a version that is locked with its hashes here, from where the program's
packages come from; one on `PATH` counts before it.
"""

import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from ...errors import DependencyError
from .. import dependencies
from ..installer import Installer

NAME: Final = "bun"
ENV: Final = {"CI": "true", "DO_NOT_TRACK": "1"}
_TEXT_LOCK, _BINARY_LOCK = "bun.lock", "bun.lockb"
_LOCK: Final = Path(__file__).parent / "tools" / NAME
_BINARY: Final = f"node_modules/@oven/*/bin/{NAME}"


def path(installer: Installer) -> Path:
    """The program. Raises DependencyError, also for a platform without it, and DeadlineError."""
    if installer.has(NAME):
        return installer.tool(NAME)
    sources = [_LOCK / "package.json", _LOCK / "package-lock.json"]

    def fill(folder: Path) -> None:
        for source in sources:
            (folder / source.name).write_bytes(source.read_bytes())
        options = ["--no-audit", "--no-fund", "--ignore-scripts"]
        downloads = str(installer.cache.downloads("npm"))
        env = {"npm_config_cache": downloads}
        installer.run([installer.tool("npm"), "ci", *options], folder, env=env)
        if not any(folder.glob(_BINARY)):
            raise DependencyError(
                f"npm has no {NAME} for this platform",
                fix="commit a package-lock.json, or use a plugin image with bun",
            )

    store = installer.cache.once("tool", _LOCK, sources, fill)
    return next(store.glob(_BINARY))


def readable(lock: Path, inputs: Iterable[Path], base: Path, installer: Installer) -> Path:
    """The lock, or its text where it is binary, as Bun wrote it before 1.2. No registry is asked.

    `inputs` are what decides about the packages, in the folder `base`. Raises DependencyError and
    DeadlineError.
    """
    if lock.name != _BINARY_LOCK:
        return lock
    folder = dependencies.copied(inputs, base, Path(tempfile.mkdtemp(dir=installer.scratch)))
    place = (folder / lock.relative_to(base)).parent
    options = ["--save-text-lockfile", "--lockfile-only", "--frozen-lockfile", "--ignore-scripts"]
    installer.run([path(installer), "install", *options], place, env=ENV)
    return place / _TEXT_LOCK
