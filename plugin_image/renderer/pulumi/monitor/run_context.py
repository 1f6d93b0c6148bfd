"""What a program's run is about, said once: plain data, which crosses to the program's interpreter.

The monitor and the language hosts read it as it is. What the renderer runs a program with (folders,
time, credentials) stays in the renderer: see `execution`.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, NamedTuple

ReadStack = Callable[[str], tuple[Mapping[str, Any], list[str]]]
"""A stack's name to its outputs, and which of them are secret."""


class LiveName(NamedTuple):
    """The name that an object has in the cluster, where the program gives it none."""

    name: str
    instead_of: str = ""
    """The name with a hash for which it stands: it counts until the hash changes."""


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """The options of an Application that the monitor heeds."""

    ignore_foreign: bool = False
    """Leave out what is not a Kubernetes object, rather than refuse it."""
    allow_random: bool = False
    """Let charts make up values, which differ in each render."""
    disable_name_suffix_hash: bool = False
    """Leave names as they are, even where something changes that forces a new object."""

    def for_run(self) -> dict[str, Any]:
        """These options by name, without any that a subclass adds."""
        return {option.name: getattr(self, option.name) for option in fields(RunOptions)}


@dataclass(frozen=True, kw_only=True)
class RunContext(RunOptions):
    """A program's run: which program, of which stack, with which configuration and options."""

    project: str
    stack: str
    organization: str
    root: str
    """The project's folder; places in the program are told relative to it."""
    folder: str
    """Where the program runs."""
    entry: str = "."
    """What runs there; `.` where the language finds it itself."""
    config: dict[str, str] = field(default_factory=dict)
    secret_keys: list[str] = field(default_factory=list)
    namespace: str
    """The Application's destination namespace, for objects that name none."""
    live_names: dict[str, LiveName] = field(default_factory=dict)
    """The names of objects in the cluster, by URN, where the program gives none."""
    naming_key: str = ""
    """What hashes secrets in names, in hex; empty where there is none."""
    kube_version: str
    api_versions: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """Plain data, of which `from_json` makes the same context."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "RunContext":
        """The context that `to_json` gave, also when the data has been through JSON."""
        live_names = {key: LiveName(*name) for key, name in data["live_names"].items()}
        return cls(**{**data, "live_names": live_names})
