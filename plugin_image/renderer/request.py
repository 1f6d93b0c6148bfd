"""What a renderer is asked: all that reaches it from outside, as one value.

What serves the command line reads the process's environment; what is below reads this.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from . import application, settings
from .application import DEFAULT_NAMESPACE, Application
from .measured import Measured
from .settings import Settings
from .supervise import Deadline
from .watch import Seen


@dataclass(frozen=True)
class Request:
    """One render that is asked for."""

    env: Mapping[str, str]
    """The environment of the command, which programs see parts of."""
    folder: Path
    """The Application's folder, absolute and without links."""
    settings: Settings
    deadline: Deadline
    application: Application
    measured: Measured = field(default_factory=Measured)
    """What the render measures of itself."""
    seen: Seen | None = None
    """What the render depends on beside this request; None where nobody asks."""

    @classmethod
    def of(cls, env: Mapping[str, str], folder: Path) -> "Request":
        """A request whose time begins now. Raises UsageError for settings that cannot be used."""
        given = settings.from_environment(env)
        said = application.from_environment(env)
        return cls(env, folder, given, Deadline(given.deadline_seconds), said)

    @property
    def namespace(self) -> str:
        """Where Argo CD puts objects that name no namespace."""
        return self.application.namespace or DEFAULT_NAMESPACE

    def in_namespace(self, namespace: str) -> "Request":
        """The same for another destination namespace."""
        return replace(self, application=replace(self.application, namespace=namespace))

    def again(self) -> "Request":
        """The same for one more render, which has the whole time."""
        return replace(self, deadline=Deadline(self.settings.deadline_seconds))
