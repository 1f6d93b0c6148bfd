"""What a language host needs to know to run a program, and what it gives back."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from plugin_image.renderer.errors import ProjectError
from plugin_image.renderer.pulumi.monitor.job import Job, ReadStack
from plugin_image.renderer.pulumi.monitor.recording import Event
from plugin_image.renderer.pulumi.project import Configuration, Project
from plugin_image.renderer.supervise import Ended

_RECENT_KUBE_VERSION = "1.34.0"
"""What charts see at someone's desk, where no destination is known; KUBE_VERSION sets it."""


@dataclass(frozen=True)
class Program:
    """One program, ready to run."""

    project: Project
    stack: str
    configuration: Configuration
    namespace: str
    """Where Argo CD puts objects that name no namespace."""
    env: Mapping[str, str]
    scratch: Path
    """A folder of this render's own, removed after it."""
    cache: Path
    """A folder that stays from one render to the next."""
    ignore_foreign: bool
    read_stack: ReadStack
    """How to read another stack's outputs, which takes credentials that the program lacks."""
    reads_stacks: bool
    """Whether `read_stack` can read any."""

    ORGANIZATION = "organization"
    """What Pulumi calls the organization where a backend has none."""

    def job(self) -> Job:
        """The run in plain data."""
        folder, _ = self.entry()
        return Job(
            project=self.project.name,
            stack=self.stack,
            organization=self.ORGANIZATION,
            namespace=self.namespace,
            root=str(self.project.root),
            folder=str(folder),
            config=dict(self.configuration.values),
            secret_keys=sorted(self.configuration.secret_keys),
            ignore_foreign=self.ignore_foreign,
            kube_version=self.env.get("KUBE_VERSION") or _RECENT_KUBE_VERSION,
            api_versions=list(filter(None, self.env.get("KUBE_API_VERSIONS", "").split(","))),
        )

    def entry(self) -> tuple[Path, str]:
        """The folder to run in and what to run there; `.` where the language finds it itself.

        As `main` of Pulumi.yaml says: a folder, or a file in one. Raises ProjectError when
        it does not exist or lies outside of the project.
        """
        root = self.project.root
        path = (root / self.project.main).resolve()
        if not path.is_relative_to(root):
            raise ProjectError(f"`main` of {self.project.file} points out of the project")
        if path.is_dir():
            return path, "."
        if path.is_file():
            return path.parent, path.name
        raise ProjectError(
            f"`main` of {self.project.file} names {self.project.main!r}, which does not exist"
        )


@dataclass(frozen=True)
class Failure:
    """An exception that ended a program, as its runner saw it."""

    text: str
    """Type and message, in one line."""
    place: str
    """The program's own file and line, or empty."""
    traceback: str


@dataclass(frozen=True)
class Run:
    """A program's run, whether it came to its end or not."""

    events: list[Event]
    """What the monitor reported, for `Recording.of`."""
    ended: Ended
    failure: Failure | None = None
