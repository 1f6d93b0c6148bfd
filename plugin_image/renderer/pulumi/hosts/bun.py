"""Bun, which installs what its lock says. It is no part of the image: it takes 100 MB.

npm installs it once, at a version that is locked with its hashes here, from where the program's
packages come from; one on `PATH` counts before it.
"""

from pathlib import Path
from typing import Final

from ...errors import DependencyError
from ..installer import Installer

NAME: Final = "bun"
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
