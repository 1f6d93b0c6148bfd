"""What a language host needs to know to run a program, and what it gives back."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from plugin_image.renderer import files
from plugin_image.renderer.errors import ProjectError
from plugin_image.renderer.pulumi.configuration import Configuration
from plugin_image.renderer.pulumi.dependencies import Cache
from plugin_image.renderer.pulumi.monitor.job import Job, LiveName, ReadStack
from plugin_image.renderer.pulumi.monitor.recording import Event
from plugin_image.renderer.pulumi.project import Project, Stack
from plugin_image.renderer.supervise import Ended

_RECENT_KUBE_VERSION = "1.34.0"
"""What charts see at someone's desk, where no destination is known; KUBE_VERSION sets it."""


@dataclass(frozen=True)
class Program:
    """One program, ready to run."""

    project: Project
    stack: Stack
    configuration: Configuration
    live_names: Mapping[str, LiveName]
    """What `live_names.load` gives."""
    namespace: str
    """Where Argo CD puts objects that name no namespace."""
    env: Mapping[str, str]
    scratch: Path
    """A folder of this render's own, removed after it."""
    cache: Cache
    """What stays from one render to the next."""
    ignore_foreign: bool
    allow_random: bool
    """Whether charts may make up values."""
    suffix_hash: bool
    """Whether what forces a new object gives it another name."""
    read_stack: ReadStack
    """How to read another stack's outputs, which takes credentials that the program lacks."""
    reads_stacks: bool
    """Whether `read_stack` can read any."""

    def job(self) -> Job:
        """The run in plain data."""
        folder, _ = self.entry()
        return Job(
            project=self.project.name,
            stack=self.stack.name,
            organization=self.stack.organization,
            namespace=self.namespace,
            root=str(self.project.root),
            folder=str(folder),
            live_names=dict(self.live_names),
            config=dict(self.configuration.values),
            secret_keys=sorted(self.configuration.secret_keys),
            ignore_foreign=self.ignore_foreign,
            allow_random=self.allow_random,
            suffix_hash=self.suffix_hash,
            naming_key=self.configuration.naming_key.hex(),
            kube_version=self.env.get("KUBE_VERSION") or _RECENT_KUBE_VERSION,
            api_versions=list(filter(None, self.env.get("KUBE_API_VERSIONS", "").split(","))),
        )

    def entry(self) -> tuple[Path, str]:
        """The folder to run in and what to run there; `.` where the language finds it itself.

        As `main` of Pulumi.yaml says: a folder, or a file in one. Raises ProjectError when
        it does not exist or lies outside of the project.
        """
        root, where = self.project.root, f"`main` of {self.project.file}"
        try:
            path = (root / self.project.main).resolve()
        except (OSError, RuntimeError, ValueError) as error:
            raise ProjectError(f"{where} cannot be followed: {error}", fix="correct it") from error
        if not path.is_relative_to(root):
            raise ProjectError(
                f"{where} points out of the project", fix="name a file or folder of the project"
            )
        if path.is_dir():
            return path, "."
        if files.exists(path):
            return path.parent, path.name
        raise ProjectError(
            f"{where} names {self.project.main!r}, which does not exist", fix="correct it"
        )


@dataclass(frozen=True)
class Failure:
    """An exception that ended a program, as its runner saw it."""

    text: str
    """Type and message, in one line."""
    place: str
    """The program's own file and line, or empty."""
    traceback: str
    fix: str = ""
    """What to do about it, where it is about more than the program's own lines."""


def configuration_fix(failure: str) -> str:
    """What to do about a failure, if it is that a configuration value is missing.

    The SDKs of all languages say so in these words.
    """
    missing = "missing required configuration variable" in failure.lower()
    return CONFIGURATION_FIX if missing else ""


EARLY_END_FIX = "remove the call that ends the process early (sys.exit, os._exit, process.exit)"
CONFIGURATION_FIX = "set it in the stack's file or in the Application's plugin parameter `config`"


@dataclass(frozen=True)
class Run:
    """A program's run, whether it came to its end or not."""

    events: list[Event]
    """What the monitor reported, for `Recording.of`."""
    ended: Ended
    failure: Failure | None = None
    early_end_fix: str = EARLY_END_FIX
    """What to do where it ended with success, and without coming to its end."""
