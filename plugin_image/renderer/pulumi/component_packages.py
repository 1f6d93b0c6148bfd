"""Component packages: folders of the repository whose components the program may use.

Pulumi runs the code of each beside the program, in a process of its own, and so does a render.
Source: pulumi/pulumi `pkg/resource/plugin/host.go` (collectPluginsFromPackages), `plugin.go`
(ExecPlugin).
"""

import os
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .. import files
from ..errors import DependencyError, ProgramError, ProjectError
from ..supervise import Server
from .execution import Execution
from .hosts import registry
from .hosts.host import Installed
from .installer import Installer
from .package_sources import Source
from .project import Project, load_package

if TYPE_CHECKING:
    from .monitor.plugin.packages import Package, Program

_FILES = ("PulumiPlugin.yaml", "PulumiPlugin.yml", "PulumiPlugin.json")


@dataclass(frozen=True)
class ComponentPackage:
    """A component package that can be run."""

    project: Project
    installed: Installed

    def offered(self, execution: Execution) -> "Package":
        """The package as the monitor knows it, which starts it when it is first needed."""
        # Imported here: it loads gRPC, and most programs have no packages.
        from .monitor.plugin.packages import Package

        host = registry.component_host_of(self.project)
        prefixes = registry.LANGUAGES[self.project.runtime].prefixed

        def serve(program: "Program") -> AbstractContextManager[Server]:
            return host.serve(execution, self.project, self.installed, program)

        place = _place(self.project, execution.project.root)
        return Package(self.project.name, place, self.project.root, serve, prefixes)


def install(project: Project, installer: Installer) -> list[ComponentPackage]:
    """The component packages that a project names, each with what its own files ask for.

    Raises as `find`, and DependencyError, ProgramError, ProjectError and DeadlineError as its host
    does.
    """
    found = find(project)
    return [ComponentPackage(package, _installed(package, project, installer)) for package in found]


def find(project: Project) -> list[Project]:
    """The packages that are folders of the repository, and those that these name in turn.

    Raises ProjectError for a folder outside of the repository or without a PulumiPlugin.yaml, for
    two of one name, and for a language that is not hosted. Packages from elsewhere are none of
    these; what the program registers of them is refused.
    """
    found: dict[str, Project] = {}
    waiting = [project]
    while waiting:
        naming = waiting.pop()
        for name, source in naming.packages.items():
            package = _package(name, source, naming, project)
            if package and name in found:
                _require_same(found[name], package, project)
            elif package:
                registry.component_host_of(package)
                found[name] = package
                waiting.append(package)
    return [found[name] for name in sorted(found)]


def _require_same(found: Project, other: Project, project: Project) -> None:
    """Raise ProjectError for a second folder of a name, of which Pulumi takes either by chance."""
    if not found.root.samefile(other.root):
        folders = (os.path.relpath(package.root, project.root) for package in (found, other))
        raise ProjectError(
            f"the package {found.name!r} has two folders: {' and '.join(folders)}",
            fix="name one folder in all `packages`, also of each PulumiPlugin.yaml, where paths "
            "start from the project's folder, too",
        )


def _package(name: str, source: Source, naming: Project, project: Project) -> Project | None:
    """The package of a source, or None where it is from elsewhere."""
    if not source.is_path:
        return None
    # Paths in a PulumiPlugin.yaml start from the project's folder, too.
    root = Path(os.path.normpath(project.root / source.path))
    named = f"`packages.{name}` of {naming.file}"
    if not source.is_relative and not root.is_dir():
        return None
    if not root.resolve().is_relative_to(project.repository.resolve()):
        raise ProjectError(
            f"{named} leads out of the repository", fix="move the package into the repository"
        )
    file = next((root / file for file in _FILES if files.exists(root / file)), None)
    if file is None:
        raise ProjectError(
            f"{named} names {str(source)!r}, which has no PulumiPlugin.yaml",
            fix="correct the path, or add the file, with the package's `runtime`",
        )
    return load_package(file, name, project.repository)


def _installed(package: Project, project: Project, installer: Installer) -> Installed:
    try:
        return registry.host_of(package.runtime).install(package, installer)
    except (DependencyError, ProgramError, ProjectError) as error:
        place = _place(package, project.root)
        raise type(error)(
            f"the package {package.name!r} ({place}): {error.summary}",
            fix=error.fix,
            details=error.details,
        ) from error


def _place(package: Project, root: Path) -> str:
    return os.path.relpath(package.root / package.file, root)
