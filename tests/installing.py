"""Installs packages of a project by a language host, as far as their place in the cache."""

from pathlib import Path
from types import ModuleType

from plugin_image.renderer.cache import Cache
from plugin_image.renderer.pulumi.installer import Installer
from plugin_image.renderer.pulumi.project import load_project
from plugin_image.renderer.supervise import Deadline


class _Keys(Cache):
    """Installs nothing and gives a folder by its key."""

    def _fill(self, target: Path, _install: object) -> None:
        target.mkdir(parents=True, exist_ok=True)


def installer_into(folder: Path) -> Installer:
    """An installer whose cache is in a folder."""
    cache = _Keys(folder / "cache", folder / "scratch", Deadline(60), 2**30)
    return Installer(cache, {}, cache.scratch, cache.deadline)


def installed(
    host: ModuleType, root: Path, installer: Installer, more: str = "", runtime: str = ""
) -> Path:
    """Where the packages of the project in `root` are, with more in its Pulumi.yaml."""
    runtime = runtime or host.__name__.rpartition(".")[2]
    (root / "Pulumi.yaml").write_text(f"name: program\nruntime: {runtime}\n{more}")
    found: Path = host.install(load_project(root), installer).path
    return found
