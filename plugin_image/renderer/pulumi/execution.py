"""One run of a program, as the renderer gives it to a language host."""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from .. import launch, supervise
from ..cache import Cache
from ..keeping import Kept
from ..launch import Launcher
from ..supervise import Deadline, Ended, Server
from . import providers
from .monitor.plugin import lending
from .monitor.recording import Report
from .monitor.run_context import ReadStack, RunContext
from .project import Project
from .providers import Providers

if TYPE_CHECKING:
    from .monitor.plugin.packages import Package
    from .monitor.session import Session

PARALLEL: Final = 16
"""How many registrations an SDK in a process of its own has under way at once."""
_DOING: Final = "the program was running"


@dataclass(frozen=True)
class Execution:
    """What a program's run is about, and what the renderer runs it with."""

    context: RunContext
    project: Project
    typed_config: Mapping[str, Any]
    """The configuration in wire form; YAML programs heed types."""
    env: Mapping[str, str]
    """What the program sees of the container's environment."""
    scratch: Path
    """A folder of this render's own, removed after it."""
    cache: Cache
    """What stays from one render to the next."""
    deadline: Deadline
    read_stack: ReadStack | None = None
    """How to read another stack's outputs, which takes credentials that the program lacks."""
    packages: Sequence["Package"] = ()
    """The component packages that the program may use."""
    launcher: Launcher = launch.spawn
    kept: Kept | None = None
    """The processes that are kept for the next runs; None where none are."""
    is_watched: bool = False
    """Whether somebody asks what the run depends on."""

    @property
    def folder(self) -> Path:
        """Where the program runs."""
        return Path(self.context.folder)

    def of_package(self, package: Project) -> "Execution":
        """What a component package runs with, which is in a folder of its own."""
        root = str(package.root)
        context = replace(self.context, root=root, folder=root, entry=".")
        return replace(self, project=package, context=context)

    def with_env(self, env: Mapping[str, str]) -> "Execution":
        """The same run, with more in the program's environment."""
        return replace(self, env={**self.env, **env})

    def with_code(self, code: Mapping[str, str]) -> "Execution":
        """The same run, with what the SDK has in place of the folders of the program's code."""
        return replace(self, context=replace(self.context, code=dict(code)))

    def config_env(self) -> dict[str, str]:
        """The configuration as most of Pulumi's SDKs find it, in their environment."""
        return {
            "PULUMI_CONFIG": json.dumps(dict(self.context.config)),
            "PULUMI_CONFIG_SECRET_KEYS": json.dumps(self.context.secret_keys),
        }

    def sdk_env(self, address: str) -> dict[str, str]:
        """What an SDK in a process of its own finds in its environment, with the monitor there."""
        context = self.context
        return {
            **self.config_env(),
            "PULUMI_PROJECT": context.project,
            "PULUMI_ROOT_DIRECTORY": context.root,
            "PULUMI_STACK": context.stack,
            "PULUMI_ORGANIZATION": context.organization,
            "PULUMI_DRY_RUN": "false",
            "PULUMI_PARALLEL": str(PARALLEL),
            "PULUMI_MONITOR": address,
            "PULUMI_ENGINE": address,
        }

    def session(self, report: Report) -> "Session":
        """A monitor in this process, which tells `report` what the program registers.

        What it takes to read other stacks stays here, and so does what is started for charts.
        """
        from .monitor.session import Session

        serving = partial(launch.serving, launcher=self.launcher, remaining=self.deadline.remaining)
        kept = self.providers()
        return Session(
            self.context,
            report,
            env=self.env,
            read_stack=self.read_stack,
            serving=serving,
            lend=kept.lend if kept else lending.nothing,
            packages=self.packages,
        )

    def providers(self) -> Providers | None:
        """The providers that the run may have lent, whether there are any or not."""
        return providers.of(self.kept, self.env, self.scratch)

    def run(
        self,
        command: Sequence[str | Path],
        *,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        stdin: Callable[[], bytes] = bytes,
        pass_fds: Sequence[int] = (),
        patience: float = 0.0,
    ) -> Ended:
        """Run the program by `command`, with `env` added to its environment: `supervise.run`.

        In its own folder, or another.
        """
        return supervise.run(
            command,
            doing=_DOING,
            cwd=cwd or self.folder,
            env={**self.env, **(env or {})},
            deadline=self.deadline,
            launcher=self.launcher,
            stdin=stdin,
            pass_fds=pass_fds,
            patience=patience,
        )

    def server(
        self, command: Sequence[str | Path], folder: Path | None = None
    ) -> AbstractContextManager[Server]:
        """Run a server by `command`, in the project's folder or another: `supervise.server`."""
        return supervise.server(
            command,
            cwd=folder or self.project.root,
            env=self.env,
            deadline=self.deadline,
            launcher=self.launcher,
        )
